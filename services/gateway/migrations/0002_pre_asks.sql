-- Durable asks: the ledger. What is written here is the truth; the streams of the bus are the queue and the letter box.

CREATE SCHEMA asks;

CREATE TABLE asks.ask (
    app              text COLLATE "C" NOT NULL CHECK (app <> ''),
    ask_id           text COLLATE "C" NOT NULL CHECK (ask_id <> ''),
    place            bigint GENERATED ALWAYS AS IDENTITY UNIQUE, -- the order in which asks came; pages follow it
    body             bytea NOT NULL, -- as it came: a body that cannot be read is kept, too
    body_sha256      bytea NOT NULL,
    idempotency_key  text COLLATE "C",
    request_sha256   bytea, -- of everything a key stands for: the body and where to tell of its end
    trace            text COLLATE "C", -- the span in which it was accepted
    state            text COLLATE "C" NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'working', 'answered', 'failed')),
    code             text COLLATE "C", -- why it failed, or what it waits for
    attempts         integer NOT NULL DEFAULT 0, -- how often answering was begun
    waits            integer NOT NULL DEFAULT 0, -- how often a part was away since it was queued
    faults           integer NOT NULL DEFAULT 0, -- how often our own code failed since then
    accepted_at      timestamptz NOT NULL,
    queued_at        timestamptz NOT NULL, -- accepted, or ordered to be tried again
    sending_until    timestamptz, -- somebody is putting it into the queue; null once it is there
    checked_at       timestamptz NOT NULL DEFAULT now(), -- when the queue, or the letter box, was last found to hold it
    finished_at      timestamptz,
    final            text, -- the final word, byte for byte as it is published
    is_published     boolean NOT NULL DEFAULT false, -- the final word is in its stream
    webhook_url      text COLLATE "C",
    webhook_attempts integer NOT NULL DEFAULT 0,
    webhook_next_at  timestamptz, -- null: nothing to tell, or it is told, or given up
    webhook_code     text COLLATE "C", -- what became of the last attempt
    webhook_told_at  timestamptz,
    PRIMARY KEY (app, ask_id),
    CHECK ((state IN ('answered', 'failed')) = (final IS NOT NULL)),
    CHECK ((final IS NULL) = (finished_at IS NULL))
);

CREATE UNIQUE INDEX ask_key ON asks.ask (app, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ask_page ON asks.ask (app, place DESC);
CREATE INDEX ask_open ON asks.ask (checked_at) WHERE final IS NULL;
CREATE INDEX ask_unpublished ON asks.ask (checked_at) WHERE final IS NOT NULL AND NOT is_published;
CREATE INDEX ask_finished ON asks.ask (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX ask_webhook ON asks.ask (webhook_next_at) WHERE webhook_next_at IS NOT NULL;

-- Asks that our own code could not answer: for people to look into. The body stays with the ask.
CREATE TABLE asks.dead_letter (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app       text COLLATE "C" NOT NULL,
    ask_id    text COLLATE "C" NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    code      text COLLATE "C" NOT NULL,
    attempts  integer NOT NULL,
    FOREIGN KEY (app, ask_id) REFERENCES asks.ask (app, ask_id) ON DELETE CASCADE
);

CREATE INDEX dead_letter_of ON asks.dead_letter (app, ask_id);

-- As for vetted answers: a deployment only has to say who is a member, and without the right to make roles nothing fails.
DO $$
BEGIN
    IF (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user)
        AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_asks') THEN
        BEGIN
            CREATE ROLE ragspine_asks NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- made in the meantime by a migration of another database of this server
        END;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_asks') THEN
        GRANT USAGE ON SCHEMA asks TO ragspine_asks;
        GRANT SELECT, INSERT, UPDATE, DELETE ON asks.ask TO ragspine_asks;
        GRANT SELECT, INSERT ON asks.dead_letter TO ragspine_asks; -- they go with their ask, and never change
    END IF;
END
$$;
