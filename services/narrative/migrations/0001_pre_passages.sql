-- Passages with their lineage and label, and the revision by which every worker's index follows their changes.

CREATE SCHEMA narrative;

-- One counter for all changes. Whoever writes holds its row until the commit, so revisions become visible in their
-- order: a reader that sees one has seen all before it.
CREATE TABLE narrative.revision (
    only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    value           bigint NOT NULL DEFAULT 0
);
INSERT INTO narrative.revision DEFAULT VALUES;

CREATE TABLE narrative.passage (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Lineage is never blank, in any script.
    doc_id          text COLLATE "C" NOT NULL
                    CHECK (ascii(doc_id) BETWEEN 33 AND 126 OR doc_id COLLATE pg_c_utf8 ~ '\S'),
    locator         text COLLATE "C" NOT NULL
                    CHECK (ascii(locator) BETWEEN 33 AND 126 OR locator COLLATE pg_c_utf8 ~ '\S'),
    title           text,
    body            text NOT NULL CHECK (body <> ''),
    entity          text COLLATE "C" CHECK (entity <> ''),
    period          text COLLATE "C" CHECK (period <> ''),
    -- Trimmed and case-folded. Closed by default: only what narrative.open_passage names is ever shown.
    sensitivity     text COLLATE "C" NOT NULL CHECK (sensitivity <> ''),
    content_hash    bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    withdrawn_at    timestamptz,
    ingested_at     timestamptz NOT NULL DEFAULT now(),
    revision        bigint NOT NULL,
    -- A B-tree entry ends at 2,704 bytes; services/narrative/rows.py refuses longer keys with a reason.
    CHECK (octet_length(doc_id) + octet_length(locator) <= 2560),
    CONSTRAINT passage_key UNIQUE (doc_id, locator)
);

CREATE INDEX passage_changed ON narrative.passage (revision, id);

-- What was erased by hand, so that every index forgets it too. Programs withdraw, they do not erase.
CREATE TABLE narrative.erased (
    id              bigint PRIMARY KEY,
    revision        bigint NOT NULL
);

CREATE INDEX erased_changed ON narrative.erased (revision, id);

-- The first exit that closed labels do not pass: everything that reads texts reads them here.
CREATE VIEW narrative.open_passage AS
    SELECT id, doc_id, locator, title, body, entity, period, sensitivity, content_hash, revision
    FROM narrative.passage
    WHERE withdrawn_at IS NULL AND sensitivity IN ('public', 'internal');
COMMENT ON VIEW narrative.open_passage IS 'What may leave: not withdrawn, and under one of the open labels.';

-- Without texts: what an index has to forget.
CREATE VIEW narrative.gone_passage AS
    SELECT id, revision FROM narrative.passage
    WHERE withdrawn_at IS NOT NULL OR sensitivity NOT IN ('public', 'internal')
    UNION ALL
    SELECT id, revision FROM narrative.erased;

-- The database itself counts, so that a change by hand in psql is followed as well.
CREATE FUNCTION narrative.next_revision() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE narrative.revision SET value = value + 1;
    RETURN NULL;
END
$$;

CREATE FUNCTION narrative.stamp() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    NEW.revision := (SELECT value FROM narrative.revision);
    RETURN NEW;
END
$$;

CREATE FUNCTION narrative.remember_erased() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO narrative.erased SELECT OLD.id, value FROM narrative.revision;
    RETURN NULL;
END
$$;

CREATE TRIGGER next_revision BEFORE INSERT OR UPDATE OR DELETE ON narrative.passage
    FOR EACH STATEMENT EXECUTE FUNCTION narrative.next_revision();
CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON narrative.passage
    FOR EACH ROW EXECUTE FUNCTION narrative.stamp();
CREATE TRIGGER remember_erased AFTER DELETE ON narrative.passage
    FOR EACH ROW EXECUTE FUNCTION narrative.remember_erased();
