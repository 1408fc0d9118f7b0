-- The facts with their lineage, what earlier values they had, and the events that tell others about a change.

CREATE SCHEMA facts;

-- Collation "C": a code is compared byte by byte, and an index never depends on the locale library of the machine.
CREATE TABLE facts.fact (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    metric_code     text COLLATE "C" NOT NULL CHECK (metric_code <> ''),
    entity          text COLLATE "C" NOT NULL CHECK (entity <> ''),
    period_type     text COLLATE "C" NOT NULL CHECK (period_type IN ('FY', 'HY', 'QUARTER', 'MONTH', 'YTD')),
    period          text COLLATE "C" NOT NULL CHECK (period <> ''),
    channel         text COLLATE "C" NOT NULL CHECK (channel <> ''),
    value           numeric NOT NULL CHECK (value > '-Infinity' AND value < 'Infinity'),
    unit            text COLLATE "C" NOT NULL CHECK (unit <> ''),
    -- Lineage is never blank, in any script: U+3000 is a blank too. A visible ASCII character at the start settles it
    -- without the expression, which would cost a tenth of a large load.
    source_doc_id   text COLLATE "C" NOT NULL
                    CHECK (ascii(source_doc_id) BETWEEN 33 AND 126 OR source_doc_id COLLATE pg_c_utf8 ~ '\S'),
    source_locator  text COLLATE "C" NOT NULL
                    CHECK (ascii(source_locator) BETWEEN 33 AND 126 OR source_locator COLLATE pg_c_utf8 ~ '\S'),
    valid_as_of     date,
    review_status   text COLLATE "C" NOT NULL DEFAULT 'approved'
                    CHECK (review_status IN ('approved', 'pending', 'blocked', 'rejected')),
    withdrawn_at    timestamptz,
    ingested_at     timestamptz NOT NULL DEFAULT now(),
    -- A B-tree entry ends at 2,704 bytes; services/facts/rows.py refuses longer keys with a reason.
    CHECK (octet_length(metric_code) + octet_length(entity) + octet_length(channel) + octet_length(source_doc_id) <= 2560),
    -- The document is part of the key, so that a later restatement never erases the earlier figure. The columns before
    -- it are what a question names: the same index serves the look-ups.
    CONSTRAINT fact_key UNIQUE (metric_code, entity, period_type, period, channel, source_doc_id)
);

CREATE INDEX fact_document ON facts.fact (source_doc_id);

CREATE VIEW facts.visible_fact AS
    SELECT * FROM facts.fact WHERE review_status = 'approved' AND withdrawn_at IS NULL;
COMMENT ON VIEW facts.visible_fact IS 'What may answer: approved and not withdrawn.';

CREATE TABLE facts.fact_history (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fact_id         bigint NOT NULL REFERENCES facts.fact (id),
    value           numeric NOT NULL,
    unit            text COLLATE "C" NOT NULL,
    source_locator  text COLLATE "C" NOT NULL,
    valid_as_of     date,
    review_status   text COLLATE "C" NOT NULL,
    ingested_at     timestamptz NOT NULL,
    replaced_at     timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX fact_history_of ON facts.fact_history (fact_id, id);

-- The database itself keeps what an update replaces, so that no program can forget to.
CREATE FUNCTION facts.keep_history() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO facts.fact_history (fact_id, value, unit, source_locator, valid_as_of, review_status, ingested_at)
    VALUES (OLD.id, OLD.value, OLD.unit, OLD.source_locator, OLD.valid_as_of, OLD.review_status, OLD.ingested_at);
    RETURN NULL;
END
$$;

-- Per row: over transition tables the plan that plpgsql caches for a small load is quadratic for a large one.
CREATE TRIGGER keep_history AFTER UPDATE ON facts.fact
    FOR EACH ROW
    -- The value as text: 1320.1 and 1320.10 are one number but two statements of it.
    WHEN ((OLD.value::text, OLD.unit, OLD.source_locator, OLD.valid_as_of, OLD.review_status)
        IS DISTINCT FROM (NEW.value::text, NEW.unit, NEW.source_locator, NEW.valid_as_of, NEW.review_status))
    EXECUTE FUNCTION facts.keep_history();

-- Events are written in the transaction of the change and published by a worker afterwards.
CREATE TABLE facts.outbox (
    event_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind            text COLLATE "C" NOT NULL,
    payload         jsonb NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    published_at    timestamptz
);
COMMENT ON COLUMN facts.outbox.payload IS 'Codes only: never a value, a source or a text.';

CREATE INDEX outbox_waiting ON facts.outbox (event_id) WHERE published_at IS NULL;

-- Whoever changes facts announces it, by hand in psql as well: the database writes the events. 200 scopes of the longest
-- codes are half of what a message on the bus holds.
CREATE FUNCTION facts.announce_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO facts.outbox (kind, payload)
    SELECT 'facts_changed', jsonb_build_object('scopes', jsonb_agg(scope))
    FROM (
        SELECT
            (row_number() OVER () - 1) / 200 AS chunk,
            jsonb_build_object('metric', metric_code, 'entity', entity, 'period_type', period_type,
                'period', period, 'channel', channel) AS scope
        FROM (SELECT DISTINCT metric_code, entity, period_type, period, channel FROM changed) AS scopes
    ) AS numbered
    GROUP BY chunk
    ORDER BY chunk;
    RETURN NULL;
END
$$;

CREATE TRIGGER announce_inserted AFTER INSERT ON facts.fact
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION facts.announce_change();

CREATE TRIGGER announce_updated AFTER UPDATE ON facts.fact
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION facts.announce_change();
