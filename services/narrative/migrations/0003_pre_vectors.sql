-- Optional vectors, where pgvector is installed. Without it everything works by words, and nothing here fails.
-- Installed later: `SELECT narrative.enable_vectors();` as the owner, or as a superuser who may create the extension.

CREATE FUNCTION narrative.enable_vectors() RETURNS boolean
    LANGUAGE plpgsql
AS $$
DECLARE
    place text;
    role text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'vector') THEN
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'vector') THEN
            RETURN false;
        END IF;
        BEGIN
            CREATE EXTENSION vector SCHEMA narrative;
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN false;
        END;
    END IF;
    SELECT extnamespace::regnamespace::text INTO place FROM pg_catalog.pg_extension WHERE extname = 'vector';

    IF pg_catalog.to_regclass('narrative.embedding') IS NULL THEN
        EXECUTE format($table$
            CREATE TABLE narrative.embedding (
                passage_id      bigint NOT NULL REFERENCES narrative.passage (id) ON DELETE CASCADE,
                model           text COLLATE "C" NOT NULL,
                -- Of the text that was embedded: another text needs another vector.
                content_hash    bytea NOT NULL,
                language        text COLLATE "C" NOT NULL,
                -- How near the passage is to questions that have nothing to do with it, by their language.
                nearness        jsonb NOT NULL,
                vector          %s.vector NOT NULL,
                PRIMARY KEY (passage_id, model)
            )$table$, place);
        CREATE VIEW narrative.open_embedding AS
            SELECT e.*, p.entity, p.period
            FROM narrative.embedding AS e JOIN narrative.open_passage AS p
                ON p.id = e.passage_id AND p.content_hash = e.content_hash;
    END IF;

    FOREACH role IN ARRAY ARRAY['ragspine_narrative_read', 'ragspine_narrative_load'] LOOP
        IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE format('GRANT SELECT ON narrative.open_embedding TO %I', role);
            IF role = 'ragspine_narrative_load' THEN
                EXECUTE format('GRANT SELECT ON narrative.open_passage TO %I', role);
                EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON narrative.embedding TO %I', role);
            END IF;
        END IF;
    END LOOP;
    RETURN true;
END
$$;

SELECT narrative.enable_vectors();
