-- Vetted answers: the items, what their wordings are worth under a profile, and who changed what. Redis only holds a copy.

CREATE SCHEMA faq;

-- One row. Every change adds 1 to it first, and so waits for the change before it: changes have an order, and whoever has
-- copied everything up to a number has missed nothing before it.
CREATE TABLE faq.clock (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    change  bigint NOT NULL
);
INSERT INTO faq.clock (change) VALUES (1);

CREATE TABLE faq.item (
    id              text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
    question        text NOT NULL CHECK (question <> ''),
    aliases         text[] NOT NULL DEFAULT '{}',
    answer          text NOT NULL CHECK (answer <> ''),
    source          text,
    version         integer NOT NULL CHECK (version > 0),
    owner           text NOT NULL CHECK (owner <> ''),
    state           text COLLATE "C" NOT NULL CHECK (state IN ('draft', 'approved', 'disabled', 'stale')),
    valid_from      date,
    valid_until     date,
    sensitivity     text, -- null: closed
    locale          text COLLATE "C" CHECK (locale IN ('zh', 'en', 'it')),
    depends_on      jsonb NOT NULL DEFAULT '[]',
    policy_number   boolean NOT NULL DEFAULT false,
    verified_by     text,
    verified_at     timestamptz,
    facts_seen      text, -- identity of the facts it depends on, as they were when it was approved
    approved_change bigint, -- when it was approved, as a number of the clock; of two items on one wording the first answers
    revision        bigint NOT NULL, -- the number of its last change: never used twice, not even after a deletion
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CHECK (state NOT IN ('approved', 'stale') OR (approved_change IS NOT NULL AND verified_by IS NOT NULL)),
    CHECK (state <> 'approved' OR depends_on = '[]' OR facts_seen IS NOT NULL)
);

CREATE INDEX item_state ON faq.item (state);

-- What a wording is worth depends on it and on the profile, so it is decided once for each.
CREATE TABLE faq.surface (
    item_id         text COLLATE "C" NOT NULL REFERENCES faq.item (id) ON DELETE CASCADE,
    profile_digest  text COLLATE "C" NOT NULL,
    rules           integer NOT NULL,
    place           integer NOT NULL, -- 0: the question; then the aliases
    normal_form     text COLLATE "C" NOT NULL,
    reason          text COLLATE "C", -- null: served
    PRIMARY KEY (item_id, profile_digest, place)
);

CREATE INDEX surface_form ON faq.surface (md5(normal_form));

-- No reference to the item: its history outlives it.
CREATE TABLE faq.audit (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id     text COLLATE "C" NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    who         text NOT NULL CHECK (who <> ''),
    action      text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    version     integer NOT NULL,
    revision    bigint NOT NULL
);

CREATE INDEX audit_of ON faq.audit (item_id, id);

-- As for facts: a deployment only has to say who is a member, and without the right to make roles nothing here fails.
DO $$
BEGIN
    IF (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user)
        AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_faq') THEN
        BEGIN
            CREATE ROLE ragspine_faq NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- made in the meantime by a migration of another database of this server
        END;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragspine_faq') THEN
        GRANT USAGE ON SCHEMA faq TO ragspine_faq;
        GRANT SELECT, UPDATE ON faq.clock TO ragspine_faq;
        GRANT SELECT, INSERT, UPDATE, DELETE ON faq.item, faq.surface TO ragspine_faq;
        GRANT SELECT, INSERT ON faq.audit TO ragspine_faq; -- no UPDATE, no DELETE: nobody rewrites what was done
    END IF;
END
$$;
