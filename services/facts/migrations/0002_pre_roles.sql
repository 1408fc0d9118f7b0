-- Two group roles, so that a deployment only has to say who is a member: `GRANT ragspine_facts_read TO ...`.
-- Where the migrating user may not create roles, the owner's own rights have to do, and nothing here fails.

DO $$
DECLARE
    may_create boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragspine_facts_read', 'ragspine_facts_load'] LOOP
        IF may_create AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- made in the meantime by a migration of another database of this server
            END;
        END IF;
    END LOOP;

    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_facts_read') THEN
        GRANT USAGE ON SCHEMA facts TO ragspine_facts_read;
        GRANT SELECT ON facts.fact, facts.visible_fact, facts.fact_history TO ragspine_facts_read;
    END IF;
    -- No DELETE on facts and history: a withdrawal hides, a replacement keeps, nothing is erased.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_facts_load') THEN
        GRANT USAGE ON SCHEMA facts TO ragspine_facts_load;
        GRANT SELECT, INSERT, UPDATE, MAINTAIN ON facts.fact TO ragspine_facts_load;
        GRANT SELECT ON facts.visible_fact TO ragspine_facts_load;
        GRANT SELECT, INSERT ON facts.fact_history TO ragspine_facts_load;
        GRANT SELECT, INSERT, UPDATE, DELETE ON facts.outbox TO ragspine_facts_load;
    END IF;
END
$$;
