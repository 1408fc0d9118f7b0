"""The job before a deployment: everything once, all of a file or nothing, and no surprise afterwards."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from runtime.migrate import MigrationError, migrate
from tests.integration.runtime.worker_process import ROOT
from tests.support.servers import free_port

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

NOBODY_THERE = f"postgresql://u@127.0.0.1:{free_port()}/d"
TABLES = "SELECT count(*) FROM information_schema.tables WHERE table_name IN ('one', 'two')"


def write(root: Path, name: str, sql: str) -> None:
    path = root / "services/facts/migrations" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sql)


async def fetch(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_missing_files_are_applied_once_and_in_order(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "CREATE TABLE one (a int);")
    first = await migrate(empty_database, tmp_path)
    write(tmp_path, "0002_post_two.sql", "CREATE TABLE two (a int); ALTER TABLE one ADD b int;")
    second = await migrate(empty_database, tmp_path)
    third = await migrate(empty_database, tmp_path)

    assert first == ("facts/0001_pre_one.sql",)
    assert second == ("facts/0002_post_two.sql",)
    assert third == ()
    assert await fetch(empty_database, TABLES) == 2


async def test_a_file_that_fails_leaves_nothing_of_itself(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "CREATE TABLE one (a int);")
    write(tmp_path, "0002_pre_two.sql", "CREATE TABLE two (a int);\nCREATE TABLE two (\n  a integre);")

    with pytest.raises(MigrationError, match=r"facts/0002_pre_two\.sql:3: .*integre"):
        await migrate(empty_database, tmp_path)

    assert await fetch(empty_database, TABLES) == 1
    assert await fetch(empty_database, "SELECT count(*) FROM ragspine_migrations") == 1


async def test_a_failure_on_data_does_not_show_the_data(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "SELECT CAST('SENTINEL' AS numeric);")

    with pytest.raises(MigrationError, match="SQLSTATE 22P02") as caught:
        await migrate(empty_database, tmp_path)

    assert "SENTINEL" not in str(caught.value)


async def test_a_file_that_changed_after_it_was_applied_is_an_error(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "CREATE TABLE one (a int);")
    await migrate(empty_database, tmp_path)
    write(tmp_path, "0001_pre_one.sql", "CREATE TABLE one (b int);")
    write(tmp_path, "0002_pre_two.sql", "CREATE TABLE two (a int);")

    with pytest.raises(MigrationError, match=r"facts/0001_pre_one\.sql: the file has changed"):
        await migrate(empty_database, tmp_path)

    assert await fetch(empty_database, TABLES) == 1


async def test_older_code_accepts_a_newer_schema(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "CREATE TABLE one (a int);")
    write(tmp_path, "0002_pre_two.sql", "CREATE TABLE two (a int);")
    await migrate(empty_database, tmp_path)
    (tmp_path / "services/facts/migrations/0002_pre_two.sql").unlink()

    assert await migrate(empty_database, tmp_path) == ()


async def test_jobs_at_the_same_time_do_not_hurt_each_other(empty_database: str, tmp_path: Path) -> None:
    write(tmp_path, "0001_pre_one.sql", "SELECT pg_sleep(0.2); CREATE TABLE one (a int);")

    applied = await asyncio.gather(*(migrate(empty_database, tmp_path) for _ in range(4)))

    assert sorted(len(names) for names in applied) == [0, 0, 0, 1]


def run_job(**variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    command = [sys.executable, "-m", "runtime.migrate"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30)


def test_the_job_migrates_the_product_and_can_be_repeated(empty_database: str, nats_url: str) -> None:
    variables = {"RAGSPINE_POSTGRES_URL": empty_database, "RAGSPINE_NATS_URL": nats_url}

    first, second = run_job(**variables), run_job(**variables)

    assert (first.returncode, second.returncode) == (0, 0)
    assert '"event": "migrated"' in first.stderr
    assert '"count": 0' in second.stderr


@pytest.mark.parametrize(
    ("variables", "code", "line"),
    [
        ({}, 2, "ragspine migrate: RAGSPINE_POSTGRES_URL: is missing"),
        (
            {
                "RAGSPINE_POSTGRES_URL": NOBODY_THERE,
                "RAGSPINE_MIGRATE_WAIT_SECONDS": "0.3",
            },
            1,
            "ragspine migrate: Postgres cannot be reached: ConnectionRefusedError",
        ),
    ],
)
def test_a_job_that_cannot_run_says_why_in_one_line(variables: dict[str, str], code: int, line: str) -> None:
    done = run_job(**variables)

    assert (done.returncode, done.stderr.splitlines()) == (code, [line])
