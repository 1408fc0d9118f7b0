"""How many rows a second a file of facts loads with, into an empty Postgres from the wheels: new, and once more.

Beside it stands a bare COPY of the same file in the same round, into a table without keys, checks, history and events:
another load on the machine slows both, so the ratio is what compares between runs. Postgres writes through to the disk.
"""

import argparse
import asyncio
import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import asyncpg

from domain.profile import load_profile
from services.facts.loader import load_files
from tests.support.databases import Databases
from tests.support.servers import running_postgres

PROFILE: Final = Path(__file__).resolve().parents[1] / "deploy/sample/profile.toml"
GOAL: Final = 20_000
"""Rows per second on two cores that do nothing else."""

COLUMNS: Final = [
    "metric_code",
    "entity",
    "period_type",
    "period",
    "channel",
    "value",
    "unit",
    "source_doc_id",
    "source_locator",
]
BARE_TABLE: Final = """
CREATE TABLE bare (metric_code text, entity text, period_type text, period text, channel text, value numeric,
    unit text, source_doc_id text, source_locator text)
"""
METRICS: Final = {"REVENUE": "USD_M", "NEWSALES": "USD_M", "PROFIT": "USD_M", "ROE": "PCT"}
ENTITIES: Final = ("ACME_GROUP", "ACME_HK", "ACME_CN")
CHANNELS: Final = ("TOTAL", "AGENCY", "BANCA")


class Round(NamedTuple):
    """Rows per second of one round."""

    new: float
    again: float
    bare_copy: float


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("load", help="how fast files of facts are loaded")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print rows per second."""
    rounds: list[Round] = []
    with tempfile.TemporaryDirectory() as folder, running_postgres(settings=("fsync=on",)) as postgres:
        file = Path(folder) / "facts.csv"
        _write(file, options.rows)
        databases = Databases(postgres)
        for _ in range(options.rounds):
            with databases.migrated() as dsn:
                rounds.append(asyncio.run(_round(dsn, file, options.rows)))
    new, again, bare = (median(rates) for rates in zip(*rounds, strict=True))
    ratio = median(one.new / one.bare_copy for one in rounds)
    print(f"{options.rows:,} rows, median of {len(rounds)} rounds; goal {GOAL:,} rows/s on two free cores")
    print(f"  new             {new:>10,.0f} rows/s, {ratio:.3f} of a bare COPY")
    print(f"  the same again  {again:>10,.0f} rows/s")
    print(f"  bare COPY       {bare:>10,.0f} rows/s")


async def _round(dsn: str, file: Path, rows: int) -> Round:
    bare = await _bare_copy(dsn, file)
    new = await _load(dsn, file, rows)
    return Round(rows / new, rows / await _load(dsn, file, rows), rows / bare)


async def _bare_copy(dsn: str, file: Path) -> float:
    connection = await asyncpg.connect(dsn)
    await connection.execute(BARE_TABLE)
    start = time.perf_counter()
    await connection.copy_to_table("bare", source=file, format="csv", header=True)
    seconds = time.perf_counter() - start
    await connection.close()
    return seconds


async def _load(dsn: str, file: Path, rows: int) -> float:
    start = time.perf_counter()
    report = await load_files(dsn, [file], profile=load_profile(PROFILE))
    seconds = time.perf_counter() - start
    assert report.loaded is not None, report.bad[:3]
    assert report.loaded.received == rows
    return seconds


def _write(file: Path, rows: int) -> None:
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        writer.writerows(_row(number) for number in range(rows))


def _row(number: int) -> Iterator[str]:
    """A row whose key no other number has: the document changes with every full set of scopes."""
    rest, metric = divmod(number, len(METRICS))
    rest, entity = divmod(rest, len(ENTITIES))
    rest, channel = divmod(rest, len(CHANNELS))
    document, year = divmod(rest, 30)
    code = list(METRICS)[metric]
    yield from (code, ENTITIES[entity], "FY", str(1995 + year), CHANNELS[channel], f"{number}.{number % 100:02d}")
    yield from (METRICS[code], f"doc-{document}.xlsx", f"sheet=1,row={number}")
