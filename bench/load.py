"""How fast facts are loaded: rows per second, and the ratio to a bare COPY of the same rows in the same run.

`python -m bench.load [--rows N] [--rounds N]` starts a Postgres of its own with fsync on. A machine that does other
things makes both slower, so the ratio is what to compare between runs.
"""

import argparse
import asyncio
import csv
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from runtime.migrate import migrate
from services.facts.loader import load_files
from tests.support.servers import Postgres, running_postgres

GOAL_ROWS_PER_SECOND = 20_000
COLUMNS = (
    "metric_code",
    "entity",
    "period_type",
    "period",
    "channel",
    "value",
    "unit",
    "source_doc_id",
    "source_locator",
    "valid_as_of",
)
BARE_TABLE = """
CREATE TABLE bare (metric_code text, entity text, period_type text, period text, channel text, value numeric,
    unit text, source_doc_id text, source_locator text, valid_as_of date)
"""


def synthetic_rows(count: int) -> Iterator[tuple[str, ...]]:
    """Facts of a large fictional group, as a real file has them: sorted by document, values to the cent."""
    seeded = random.Random(20_241_130)  # noqa: S311 - figures for a benchmark, not secrets
    for number in range(count):
        metric, rest = number % 200, number // 200
        entity, year = rest % 100, 1900 + rest // 100
        yield (
            f"METRIC_{metric:03}",
            f"ENTITY_{entity:03}",
            "FY",
            str(year),
            "TOTAL",
            f"{seeded.randrange(10**9)}.{seeded.randrange(100):02}",
            "USD_M",
            f"ENTITY_{entity:03}_{year}_annual_report.pdf",
            f"page={metric},statement=income,row=METRIC_{metric:03},col={year}",
            f"{year + 1}-03-31",
        )


def write_csv(path: Path, count: int) -> None:
    """The rows as a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(synthetic_rows(count))


async def time_copy(dsn: str, path: Path) -> float:
    """Seconds for a bare COPY of the file into a table without keys, checks and events."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(BARE_TABLE)
    start = time.perf_counter()
    await connection.copy_to_table("bare", source=path, format="csv", header=True)
    seconds = time.perf_counter() - start
    await connection.close()
    return seconds


async def time_load(dsn: str, path: Path) -> float:
    """Seconds for loading the file as the command does, into an empty table of facts."""
    start = time.perf_counter()
    report = await load_files(dsn, [path], profile=None)
    seconds = time.perf_counter() - start
    assert report.loaded is not None
    assert report.loaded.received == report.rows
    return seconds


async def measure(postgres: Postgres, path: Path, rows: int, rounds: int) -> list[tuple[float, float, float]]:
    """Rows per second of the first load, of loading again, and of the bare COPY, per round."""
    rates: list[tuple[float, float, float]] = []
    for number in range(rounds):
        postgres.sql(f"CREATE DATABASE round_{number}")
        dsn = postgres.dsn(f"round_{number}")
        await migrate(dsn)
        copied = await time_copy(dsn, path)
        first = await time_load(dsn, path)
        again = await time_load(dsn, path)
        rates.append((rows / first, rows / again, rows / copied))
        print(
            f"round {number + 1}: load {rows / first:>9,.0f} rows/s ({copied / first:.2f} of a bare COPY), "
            f"again {rows / again:>9,.0f} rows/s, bare COPY {rows / copied:>9,.0f} rows/s",
            flush=True,
        )
        postgres.sql(f"DROP DATABASE round_{number}")
    return rates


def main() -> int:
    """Measure and print; exit code 1 when the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_postgres(settings=("fsync=on",)) as postgres:
        path = Path(folder) / "facts.csv"
        write_csv(path, arguments.rows)
        rates = asyncio.run(measure(postgres, path, arguments.rows, arguments.rounds))
    load, again, copy = (statistics.median(column) for column in zip(*rates, strict=True))
    print(
        f"median of {arguments.rounds}: {load:,.0f} rows/s, {load / copy:.2f} of a bare COPY; again {again:,.0f} rows/s"
    )
    return 0 if load >= GOAL_ROWS_PER_SECOND else 1


if __name__ == "__main__":
    sys.exit(main())
