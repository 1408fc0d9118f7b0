-- What each group may do with passages. Run at every start: a group may be younger than the tables.

GRANT USAGE ON SCHEMA narrative TO ragspine_narrative_read, ragspine_narrative_load;
-- No right on the table itself: whoever searches cannot even read a closed text.
GRANT SELECT ON narrative.revision, narrative.open_passage, narrative.gone_passage TO ragspine_narrative_read;
-- No DELETE: a withdrawal hides. Erasing is for the owner of the database.
GRANT SELECT, INSERT, UPDATE, MAINTAIN ON narrative.passage TO ragspine_narrative_load;
GRANT SELECT, UPDATE ON narrative.revision TO ragspine_narrative_load;

DO $$
BEGIN
    IF to_regclass('narrative.embedding') IS NOT NULL THEN -- where pgvector is
        GRANT SELECT ON narrative.open_embedding TO ragspine_narrative_read, ragspine_narrative_load;
        GRANT SELECT ON narrative.open_passage TO ragspine_narrative_load;
        GRANT SELECT, INSERT, UPDATE, DELETE ON narrative.embedding TO ragspine_narrative_load;
    END IF;
END
$$;
