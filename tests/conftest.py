"""Session-wide servers and settings of the test run. Helpers live in tests/support; here they become fixtures."""

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.support.databases import Databases
from tests.support.servers import Nats, Postgres, Valkey, running_nats, running_postgres, running_valkey

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(scope="session", autouse=True)
def _interrupts_are_heard() -> None:
    """A shell lets its background jobs ignore Ctrl-C, and what they start inherits that: also what we interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_machine() -> None:
    """A developer's own RAGSPINE_* variables must not decide what the tests see."""
    for name in [name for name in os.environ if name.startswith(("RAGSPINE_", "OTEL_"))]:
        del os.environ[name]


@pytest.fixture(scope="session")
def nats() -> Generator[Nats]:
    """The nats-server that tests share; whoever pauses or kills a server starts one of their own (`running_nats`)."""
    with running_nats() as server:
        yield server


@pytest.fixture(scope="session")
def nats_url(nats: Nats) -> str:
    return nats.url


@pytest.fixture(scope="session")
def postgres() -> Generator[Postgres]:
    """The Postgres that tests share; whoever pauses or kills a server starts one of their own (`running_postgres`)."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def valkey() -> Generator[Valkey]:
    """The Valkey that tests share."""
    with running_valkey() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_url(valkey: Valkey) -> str:
    return valkey.url


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Databases:
    """Fresh databases in the shared Postgres, copied from migrated templates."""
    return Databases(postgres)


@pytest.fixture
def empty_database(databases: Databases) -> Generator[str]:
    """The DSN of a database of one's own, without any table."""
    with databases.fresh() as dsn:
        yield dsn


@pytest.fixture
def database(databases: Databases) -> Generator[str]:
    """The DSN of a database of one's own, with every migration applied."""
    with databases.migrated() as dsn:
        yield dsn
