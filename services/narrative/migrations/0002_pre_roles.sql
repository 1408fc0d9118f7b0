-- Two group roles, so that a deployment only has to say who is a member: `GRANT ragspine_narrative_read TO ...`.
-- Where the migrating user may not create roles, the owner's own rights have to do, and nothing here fails.

DO $$
DECLARE
    may_create boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragspine_narrative_read', 'ragspine_narrative_load'] LOOP
        IF may_create AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- made in the meantime by a migration of another database of this server
            END;
        END IF;
    END LOOP;

    -- No right on the table itself: whoever searches cannot even read a closed text.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_narrative_read') THEN
        GRANT USAGE ON SCHEMA narrative TO ragspine_narrative_read;
        GRANT SELECT ON narrative.revision, narrative.open_passage, narrative.gone_passage TO ragspine_narrative_read;
    END IF;
    -- No DELETE: a withdrawal hides. Erasing is for the owner of the database.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_narrative_load') THEN
        GRANT USAGE ON SCHEMA narrative TO ragspine_narrative_load;
        GRANT SELECT, INSERT, UPDATE, MAINTAIN ON narrative.passage TO ragspine_narrative_load;
        GRANT SELECT, UPDATE ON narrative.revision TO ragspine_narrative_load;
    END IF;
END
$$;
