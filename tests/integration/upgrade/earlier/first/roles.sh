#!/bin/sh
# Run by the postgres image when it makes its database: the owner of the schemas, the facts worker's two logins, the loader's.
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
GRANT ragspine_facts_read TO facts_read;
GRANT ragspine_facts_read, ragspine_facts_load TO facts_load, cli_load;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CREATE, CONNECT ON DATABASE ragspine TO ragspine_owner;
GRANT USAGE, CREATE ON SCHEMA public TO ragspine_owner;
ALTER ROLE facts_read SET default_transaction_read_only = on;
SQL
