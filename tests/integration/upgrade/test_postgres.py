"""A database that compose made by an earlier version: after the new version's start it is like one of its own."""

import asyncio
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest

from contracts.v1.facts import Found
from runtime.migrate import ROOT, migrate
from runtime.roles import LOGINS, OWNER
from tests.support.compose_volumes import DATABASE, Volumes
from tests.support.facts import facts_on, row
from tests.support.rights_matrix import relations_of, unexpected
from tests.support.servers import Postgres, running_postgres

pytestmark = [pytest.mark.connected, pytest.mark.timeout(90)]

PAGE = ROOT / "docs/operations/upgrade.md"
EARLIER = Path(__file__).parent / "earlier"
"""`first` knew of facts alone and was changed by later versions since, `last` is the one before logins came from a
table. These are their scripts, as they were."""
APPLIED = {
    "facts/0000_pre_postgres.sql": "ca962f1832be52e6",
    "facts/0001_pre_facts.sql": "8b8c9afe762343dd",
    "facts/0002_pre_roles.sql": "718038d45777d4be",
    "gateway/0001_pre_faq.sql": "6ee6dbb1ff50ffb2",
    "narrative/0001_pre_passages.sql": "07cd63f65f4cfa8e",
    "narrative/0002_pre_roles.sql": "f4c81bed12efdf34",
    "narrative/0003_pre_vectors.sql": "94293410a98c250b",
}
"""The migrations of that time, and how their files began to be hashed: a volume refuses a file that has changed."""
STATE = """
SELECT rolname || ' ' || rolconnlimit || ' ' || coalesce(rolconfig::text, '') FROM pg_roles UNION ALL
SELECT member::regrole || ' in ' || roleid::regrole || admin_option FROM pg_auth_members UNION ALL
SELECT nspname || ' ' || coalesce(nspacl::text, '') FROM pg_namespace UNION ALL
SELECT oid::regclass || ' ' || relowner::regrole || coalesce(relacl::text, '') FROM pg_class
    WHERE relnamespace::regnamespace::text IN ('facts', 'narrative', 'faq', 'asks', 'public') UNION ALL
SELECT name || applied_at FROM public.ragspine_migrations ORDER BY 1
"""


@dataclass(frozen=True)
class Deployment:
    """A project: its volumes, and the server on that of Postgres."""

    volumes: Volumes
    server: Postgres
    before: dict[str, str] = field(default_factory=dict[str, str])
    """How its logins got in before the upgrade, and the superuser's password."""

    def dsn(self, login: str) -> str:
        return self.volumes.dsn(self.server, login)

    def start(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """What the new version does at its start, before any worker: `init`, then `migrate`."""
        self.volumes.init()
        return self.migrate(
            RAGSPINE_POSTGRES_ADMIN_URL=self.server.dsn(DATABASE),
            RAGSPINE_POSTGRES_ROLES_FILE=str(self.volumes.folder / "secrets/migrate/roles"),
            **variables,
        )

    def migrate(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """The job, as the owner."""
        environment = {"PATH": os.environ["PATH"], **variables}
        if "RAGSPINE_POSTGRES_URL" not in variables:
            environment["RAGSPINE_POSTGRES_URL"] = self.dsn(OWNER)
        command = [sys.executable, "-m", "runtime.migrate"]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def of_that_time(folder: Path) -> Path:
    """The migrations of the earlier version."""
    for name in APPLIED:
        service, file = name.split("/")
        copy = folder / "services" / service / "migrations" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "services" / service / "migrations" / file, copy)
    return folder


async def load(dsn: str, period: str, value: str) -> None:
    async with facts_on(dsn) as facts:
        await facts.load(row(period, value))


async def answered(dsn: str, period: str) -> str:
    async with facts_on(dsn) as facts:
        outcome = await facts.ask(period)
    assert isinstance(outcome, Found), outcome
    return format(outcome.fact.value, "f")


def made_by(version: str, server: Postgres, folder: Path) -> Deployment:
    """A project that a version made, with a fact in it."""
    made = Deployment(Volumes.made(folder / "volumes"), server)
    made.volumes.init(EARLIER / version / "init.sh")
    made.volumes.make_roles(EARLIER / version / "roles.sh", server)
    asyncio.run(migrate(made.dsn(OWNER), of_that_time(folder / "then")))
    asyncio.run(load(made.dsn("facts_load"), "2024", "1320"))
    names = ("ragspine_owner", "facts_read", "facts_load", "cli_load")
    made.before.update({name: made.dsn(name) for name in names}, postgres=made.volumes.read("postgres/superuser"))
    return made


@pytest.fixture(scope="module", params=["first", "last"])
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    with running_postgres(settings=("max_connections=160",)) as server:
        deployment = made_by(str(request.param), server, tmp_path_factory.mktemp("project"))
        started = deployment.start()
        assert started.returncode == 0, started.stderr
        yield deployment


def test_files_that_earlier_versions_have_applied_never_change() -> None:
    now = {
        name: hashlib.sha256((ROOT / "services" / name.replace("/", "/migrations/")).read_bytes()).hexdigest()[:16]
        for name in APPLIED
    }

    assert now == APPLIED


async def test_every_login_may_do_its_work_and_nothing_more(upgraded: Deployment) -> None:
    relations = await relations_of(upgraded.server.dsn(DATABASE))

    found = [line for login in LOGINS for line in await unexpected(upgraded.dsn(login.name), login.name, relations)]

    assert "asks.ask" in {relation.name for relation in relations}
    assert found == []


async def test_the_facts_of_before_are_answered_and_new_ones_are_loaded(upgraded: Deployment) -> None:
    await load(upgraded.dsn("facts_load"), "2023", "1100")

    values = [await answered(upgraded.dsn("facts_read"), period) for period in ("2024", "2023")]

    assert values == ["1320", "1100"]


def test_the_passwords_of_before_stay(upgraded: Deployment) -> None:
    superuser = upgraded.volumes.read("postgres/superuser")
    now = {name: superuser if name == "postgres" else upgraded.dsn(name) for name in upgraded.before}

    assert now == upgraded.before
    assert upgraded.volumes.read("migrate/postgres.pgpass").strip().endswith(f":postgres:{superuser}")


async def test_a_second_start_changes_nothing(upgraded: Deployment) -> None:
    root = await asyncpg.connect(upgraded.server.dsn(DATABASE))
    before = await root.fetch(STATE), upgraded.dsn("facts_read"), upgraded.dsn(OWNER)

    again = upgraded.start()

    after = await root.fetch(STATE), upgraded.dsn("facts_read"), upgraded.dsn(OWNER)
    await root.close()
    assert (again.returncode, '"count": 0' in again.stderr) == (0, True)
    assert after == before


@pytest.fixture
def lone_server() -> Generator[Postgres]:
    """For tests that make logins: those are the whole server's."""
    with running_postgres(settings=("max_connections=160",)) as server:
        yield server


async def test_without_the_superuser_the_start_is_refused_and_names_the_page(
    lone_server: Postgres, tmp_path: Path
) -> None:
    earlier = await asyncio.to_thread(made_by, "last", lone_server, tmp_path)

    refused = earlier.migrate()

    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1].startswith(
        "ragspine migrate: there is no group ragspine_asks; docs/operations/"
    )
    assert PAGE.name in refused.stderr
    assert earlier.start().returncode == 0
    relations = await relations_of(lone_server.dsn(DATABASE))
    assert await unexpected(earlier.dsn("faq_keep"), "faq_keep", relations) == []


async def test_the_owner_is_refused_what_belongs_to_another_and_the_page_is_named(
    lone_server: Postgres, tmp_path: Path
) -> None:
    lone_server.sql("CREATE ROLE ragspine_owner LOGIN")
    lone_server.sql("CREATE DATABASE earlier TEMPLATE template0")
    lone_server.sql("GRANT CREATE ON SCHEMA public TO ragspine_owner", "earlier")
    await migrate(lone_server.dsn("earlier"), of_that_time(tmp_path))
    as_owner = lone_server.dsn("earlier").replace("//postgres@", f"//{OWNER}@")

    refused = Deployment(Volumes(tmp_path), lone_server).migrate(RAGSPINE_POSTGRES_URL=as_owner)

    assert refused.returncode == 1
    assert "SQLSTATE 42501; docs/operations/upgrade.md" in refused.stderr


async def test_one_login_for_everything_goes_on_and_is_split_as_the_page_says(
    lone_server: Postgres, tmp_path: Path
) -> None:
    lone_server.sql("CREATE ROLE everything LOGIN")
    lone_server.sql("CREATE DATABASE own OWNER everything TEMPLATE template0")
    one = lone_server.dsn("own").replace("//postgres@", "//everything@")
    await migrate(one, of_that_time(tmp_path))
    await load(one, "2024", "1320")

    await migrate(one)
    values = [await answered(one, "2024")]
    lone_server.sql(block_of_the_page(), "own")
    again = await migrate(one)

    logins = {login.name: one.replace("everything", login.name) for login in LOGINS if login.name != OWNER}
    relations = await relations_of(lone_server.dsn("own"))
    found = [line for n, dsn in logins.items() for line in await unexpected(dsn, n, relations, tables_only=True)]
    assert again == ()
    assert found == []
    assert [*values, await answered(logins["facts_read"], "2024")] == ["1320", "1320"]


def block_of_the_page() -> str:
    """The statements that the page tells to run."""
    (block,) = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(block)
