"""`ragspine load facts`: all or nothing, every bad row named, the same again changes nothing."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from services.facts.loader import BadRow, DatabaseAwayError, FileError, OtherUnit, load_files
from tests.support.answers import SAMPLE_PROFILE, sample_profile
from tests.support.databases import ROOT
from tests.support.servers import running_postgres

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

HEADER = "metric_code,entity,period_type,period,value,unit,source_doc_id,source_locator,valid_as_of"


def facts_csv(folder: Path, *rows: str, name: str = "facts.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    return path


def line(period: str = "2024", value: str = "1320", *, doc: str = "a.pdf", entity: str = "ACME_HK") -> str:
    return f"REVENUE,{entity},FY,{period},{value},USD_M,{doc},p=1,"


async def _count(dsn: str, table: str = "fact") -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return int(await connection.fetchval(f"SELECT count(*) FROM facts.{table}"))
    finally:
        await connection.close()


async def test_loads_many_rows_once(database: str, tmp_path: Path) -> None:
    years = [str(year) for year in range(1000, 6000)]
    file = facts_csv(tmp_path, *(line(year) for year in years))
    seen: list[int] = []

    first = await load_files(database, [file], profile=sample_profile(), on_progress=seen.append)
    again = await load_files(database, [file], profile=sample_profile())

    assert first.loaded is not None
    assert again.loaded is not None
    assert (first.loaded.inserted, first.loaded.unchanged) == (5_000, 0)
    assert (again.loaded.inserted, again.loaded.unchanged) == (0, 5_000)
    assert await _count(database, "outbox") == 25
    assert seen == sorted(seen)
    assert seen[-1] == file.stat().st_size


async def test_other_units_are_counted_by_metric_and_refused_on_demand(database: str, tmp_path: Path) -> None:
    rows = [line("2022"), line("2023").replace("USD_M", "CNY_M"), line("2024").replace("USD_M", "CNY_M")]
    file = facts_csv(tmp_path, *rows)

    strict = await load_files(database, [file], profile=sample_profile(), strict_units=True)
    counted = await load_files(database, [file], profile=sample_profile())

    assert strict.loaded is None
    assert [(bad.line, bad.column) for bad in strict.bad] == [(3, "unit"), (4, "unit")]
    assert counted.loaded is not None
    assert counted.loaded.inserted == 3
    assert counted.other_units == {OtherUnit("REVENUE", "CNY_M", "USD_M"): 2}


async def test_one_bad_row_and_nothing_is_loaded(database: str, tmp_path: Path) -> None:
    good = facts_csv(tmp_path, line("2023"))
    bad = facts_csv(tmp_path, line("2024"), line("2025", '"1,320,000"'), line(entity="ACME_XX"), name="more.csv")

    report = await load_files(database, [good, bad], profile=sample_profile())

    assert report.loaded is None
    assert (report.rows, report.bad_rows) == (4, 2)
    assert report.bad == [
        BadRow(str(bad), 3, "value", "thousands separators are not accepted: write 1320000"),
        BadRow(str(bad), 4, "entity", "not an entity of the profile"),
    ]
    assert await _count(database) == await _count(database, "outbox") == 0


async def test_the_good_rows_are_loaded_when_that_is_wanted(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, line("2024"), line("2025", "NaN"), line("2023", "1"), line("2023", "2"))

    report = await load_files(database, [file], profile=sample_profile(), skip_bad=True)

    assert report.loaded is not None
    assert report.loaded.received == report.loaded.inserted == 1
    assert [(bad.line, bad.column) for bad in report.bad] == [(3, "value"), (4, ""), (5, "")]
    assert "line 5 states something else" in report.bad[1].reason
    assert await _count(database) == 1


async def test_files_that_contradict_each_other_are_named_with_their_lines(database: str, tmp_path: Path) -> None:
    one, other = facts_csv(tmp_path, line(value="1")), facts_csv(tmp_path, line(), line(value="2"), name="other.csv")

    report = await load_files(database, [one, other], profile=sample_profile())

    assert report.loaded is None
    assert report.bad_rows == 3
    assert f"{other}:2 states something else" in report.bad[0].reason


async def test_any_code_may_be_loaded_without_a_profile(database: str, tmp_path: Path) -> None:
    report = await load_files(database, [facts_csv(tmp_path, line(entity="汉威科技"))], profile=None)

    assert report.loaded is not None
    assert report.loaded.inserted == 1


async def test_a_listing_of_bad_rows_is_bounded_and_the_count_is_not(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, *(line(value="x") for _ in range(3_000)))

    report = await load_files(database, [file], profile=sample_profile())

    assert report.bad_rows == 3_000
    assert len(report.bad) == 100


async def test_a_file_that_breaks_off_leaves_nothing(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, *(line(str(year)) for year in range(1000, 6000)))
    with file.open("ab") as output:
        output.write(b"REVENUE,ACME_HK,\xff\xfe\n")

    with pytest.raises(FileError, match=":5002: is not UTF-8"):
        await load_files(database, [file], profile=sample_profile())

    assert await _count(database) == 0


async def test_a_database_that_dies_during_the_load_leaves_nothing(tmp_path: Path) -> None:
    file = facts_csv(tmp_path, *(line(str(year)) for year in range(1000, 9000)))
    with running_postgres() as postgres:
        await _migrated(postgres.dsn())
        kills = iter([postgres.server.kill])

        with pytest.raises(DatabaseAwayError):
            await load_files(
                postgres.dsn(), [file], profile=sample_profile(), on_progress=lambda _: next(kills, lambda: None)()
            )
        postgres.server.start()

        assert await _count(postgres.dsn()) == 0


async def _migrated(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    for path in sorted((ROOT / "services/facts/migrations").glob("*.sql")):
        await connection.execute(path.read_text())
    await connection.close()


async def test_a_database_without_tables_says_what_to_run(empty_database: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseAwayError, match="run the migrations"):
        await load_files(empty_database, [facts_csv(tmp_path, line())], profile=None)


def _load(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cli", "load", "facts", *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=50)


def test_the_command_prints_what_changed(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, line("2023"), line("2024"))

    done = _load(str(file), RAGSPINE_POSTGRES_LOADER_URL=database, RAGSPINE_PROFILE=str(SAMPLE_PROFILE))

    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 facts: 2 new, 0 replaced, 0 revived, 0 unchanged\n"


def test_the_command_names_bad_rows_and_the_next_step(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, line("2023"), line(entity="ACME_XX"))

    done = _load(str(file), "--postgres-url", database, "--profile", str(SAMPLE_PROFILE))

    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}:3: entity: not an entity of the profile" in done.stderr
    assert "1 of 2 rows cannot be loaded, so nothing was" in done.stderr
    assert "--skip-bad" in done.stderr
    assert "--allow-unknown" in done.stderr


def test_the_command_speaks_json(database: str, tmp_path: Path) -> None:
    file = facts_csv(tmp_path, line("2023"), line(value="x"))

    done = _load(str(file), "--postgres-url", database, "--allow-unknown", "--json")

    result = json.loads(done.stdout)
    assert done.returncode == 2
    assert (result["rows"], result["bad_rows"], result["loaded"]) == (2, 1, None)
    assert result["bad"][0]["line"] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--postgres-url", "postgresql://x@127.0.0.1:1/x"), 7, "Postgres does not answer"),
        (("--postgres-url", "mysql://x"), 2, "postgresql://"),
        (("--postgres-url", "postgresql://x@h:port/x"), 2, "address"),
        ((), 7, "start one with `ragspine up --data-dir"),
    ],
)
def test_the_command_says_where_the_database_is_missing(
    tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    file = facts_csv(tmp_path, line())

    done = _load(str(file), "--allow-unknown", "--data-dir", str(tmp_path), *arguments)

    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_wants_to_know_which_codes_are_right(database: str, tmp_path: Path) -> None:
    done = _load(str(facts_csv(tmp_path, line())), "--postgres-url", database)

    assert done.returncode == 2
    assert "--profile" in done.stderr


def test_an_interrupted_load_leaves_nothing(database: str, tmp_path: Path) -> None:
    pipe = tmp_path / "facts.csv"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "cli", "load", "facts", str(pipe), "--postgres-url", database, "--allow-unknown"]
    with subprocess.Popen(command, cwd=ROOT, env={}, stderr=subprocess.PIPE, text=True) as process:
        with suppress(BrokenPipeError), pipe.open("w") as rows:  # opens once the command has opened its end
            rows.write(f"{HEADER}\n" + f"{line()}\n" * 10_000)
            rows.flush()
            process.send_signal(signal.SIGINT)
            for _ in range(100):  # the file goes on: a load that is through could not be interrupted any more
                rows.write(f"{line()}\n" * 10_000)
        _, words = process.communicate(timeout=50)

    assert process.returncode == 130, words
    assert "interrupted, so nothing was loaded" in words
    assert asyncio.run(_count(database)) == 0


def test_files_without_rows_are_a_mistake(database: str, tmp_path: Path) -> None:
    done = _load(str(facts_csv(tmp_path)), "--postgres-url", database, "--allow-unknown")

    assert done.returncode == 2
    assert "no rows" in done.stderr
