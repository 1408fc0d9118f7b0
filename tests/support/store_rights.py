"""What each login may do in Postgres, in one table; whatever is not in it must be refused."""

from typing import Final

from runtime.roles import LOGINS, OWNER

EVERYTHING: Final = frozenset({"select", "insert", "update", "delete", "truncate"})
READ: Final = frozenset({"select"})
KEEP: Final = frozenset({"select", "insert", "update"})
QUEUE: Final = frozenset({"select", "insert", "update", "delete"})

_FACTS_READ: Final = {"facts.fact": READ, "facts.visible_fact": READ, "facts.fact_history": READ}
_FACTS_LOAD: Final = {
    "facts.fact": KEEP,
    "facts.visible_fact": READ,
    "facts.fact_history": READ | {"insert"},
    "facts.outbox": QUEUE,
}
_NARRATIVE_READ: Final = {
    "narrative.revision": READ,
    "narrative.open_passage": READ,
    "narrative.gone_passage": READ,
    "narrative.open_embedding": READ,
}
_NARRATIVE_LOAD: Final = {
    **_NARRATIVE_READ,
    "narrative.passage": KEEP,
    "narrative.revision": READ | {"update"},
    "narrative.embedding": QUEUE,
}
TABLES: Final[dict[str, dict[str, frozenset[str]]]] = {
    "facts_read": _FACTS_READ,
    "facts_load": _FACTS_LOAD,
    "narrative_read": _NARRATIVE_READ,
    "narrative_load": _NARRATIVE_LOAD,
    "faq_keep": {
        "faq.clock": READ | {"update"},
        "faq.item": QUEUE,
        "faq.surface": QUEUE,
        "faq.audit": READ | {"insert"},
        "asks.ask": QUEUE,
        "asks.dead_letter": READ | {"insert"},
    },
    "cli_load": {**_FACTS_LOAD, **_NARRATIVE_LOAD},
}
"""Tables and views by login. The owner may do everything there."""

_EVERYBODY: Final = frozenset(login.name for login in LOGINS)
_STAGERS: Final = frozenset({"facts_load", "narrative_load", "cli_load"})
_OWNER: Final = frozenset({OWNER})
_NOBODY: Final[frozenset[str]] = frozenset()

ACTIONS: Final[dict[str, frozenset[str]]] = {
    "CREATE TABLE public.probe (a int)": _OWNER,
    "CREATE TABLE facts.probe (a int)": _OWNER,
    "CREATE SCHEMA probe": _OWNER,
    "CREATE FUNCTION public.probe() RETURNS int LANGUAGE sql AS 'SELECT 1'": _OWNER,
    "DROP TABLE facts.fact CASCADE": _OWNER,
    "ALTER TABLE facts.fact DISABLE TRIGGER ALL": _NOBODY,
    "ALTER TABLE facts.fact DISABLE TRIGGER USER": _OWNER,
    "CREATE TEMPORARY TABLE probe (a int)": _STAGERS,
    "CREATE ROLE probe": _NOBODY,
    "CREATE DATABASE probe": _NOBODY,
    "ALTER ROLE CURRENT_USER SUPERUSER": _NOBODY,
    "ALTER ROLE CURRENT_USER CONNECTION LIMIT 1000": _NOBODY,
    "ALTER ROLE postgres PASSWORD 'probe'": _NOBODY,
    "ALTER SYSTEM SET log_statement = 'all'": _NOBODY,
    "ALTER DATABASE {database} SET log_statement = 'all'": _NOBODY,
    "SET log_statement = 'all'": _NOBODY,
    "SET temp_file_limit = '-1'": _NOBODY,
    "SET session_replication_role = 'replica'": _NOBODY,
    "SET statement_timeout = 0": _EVERYBODY,  # so the limits that count are ours, and the number of connections
    "SET ROLE postgres": _NOBODY,
    "SET ROLE pg_read_all_data": _NOBODY,
    "SET ROLE ragspine_facts_load": _NOBODY,
    "SET ROLE ragspine_owner": _OWNER,
    "SET SESSION AUTHORIZATION postgres": _NOBODY,
    "COPY (SELECT 1) TO PROGRAM 'true'": _NOBODY,
    "COPY (SELECT 1) TO '/tmp/ragspine-probe'": _NOBODY,
    "SELECT pg_read_file('/etc/passwd')": _NOBODY,
    "SELECT pg_ls_dir('/')": _NOBODY,
    "SELECT pg_reload_conf()": _NOBODY,
    "SELECT lo_create(0)": _NOBODY,
    "SELECT lo_from_bytea(0, 'x')": _NOBODY,
    "SELECT lo_import('/etc/passwd')": _NOBODY,
    "SELECT rolpassword FROM pg_authid": _NOBODY,
    "SELECT passwd FROM pg_shadow": _NOBODY,
    "SELECT stavalues1 FROM pg_statistic": _NOBODY,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres' LIMIT 1": _NOBODY,
    "SELECT * FROM public.ragspine_migrations": _OWNER,
}
"""Everything else that a login could try, and who may."""
NOT_IN_A_TRANSACTION: Final = ("CREATE DATABASE", "ALTER SYSTEM")


def tables_allowed(login: str, table: str) -> frozenset[str]:
    """What a login may do with a table or view."""
    return EVERYTHING if login == OWNER else TABLES[login].get(table, frozenset())
