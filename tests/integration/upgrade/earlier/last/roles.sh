#!/bin/sh
# Run by the postgres image when it makes its database: the owner of the schemas, two logins for each worker that keeps
# something, the loader's, the gateway's.
set -eu
while read -r role password; do
    psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
        -v role="$role" -v password="$password" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password' CONNECTION LIMIT 40;
SQL
done </run/ragspine/passwords
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE ragspine_facts_read NOLOGIN;
CREATE ROLE ragspine_facts_load NOLOGIN;
CREATE ROLE ragspine_narrative_read NOLOGIN;
CREATE ROLE ragspine_narrative_load NOLOGIN;
GRANT ragspine_facts_read TO facts_read;
GRANT ragspine_facts_read, ragspine_facts_load TO facts_load, cli_load;
GRANT ragspine_narrative_read TO narrative_read;
GRANT ragspine_narrative_read, ragspine_narrative_load TO narrative_load, cli_load;
CREATE ROLE ragspine_faq NOLOGIN;
GRANT ragspine_faq TO faq_keep;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
-- pgvector, where the image has it: only a superuser may create it.
SELECT 'CREATE EXTENSION vector' FROM pg_available_extensions WHERE name = 'vector' \gexec
GRANT USAGE ON SCHEMA public TO ragspine_narrative_read, ragspine_narrative_load;
GRANT CREATE, CONNECT ON DATABASE ragspine TO ragspine_owner;
GRANT USAGE, CREATE ON SCHEMA public TO ragspine_owner;
ALTER ROLE facts_read SET default_transaction_read_only = on;
ALTER ROLE narrative_read SET default_transaction_read_only = on;
SQL
