"""How many rows a second a file of facts loads with, into an empty Postgres from the wheels: new, and once more."""

import argparse
import asyncio
import csv
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

from domain.profile import load_profile
from services.facts.loader import load_files
from tests.support.databases import Databases
from tests.support.servers import running_postgres

PROFILE: Final = Path(__file__).resolve().parents[1] / "deploy/sample/profile.toml"
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
METRICS: Final = {"REVENUE": "USD_M", "NEWSALES": "USD_M", "PROFIT": "USD_M", "ROE": "PCT"}
ENTITIES: Final = ("ACME_GROUP", "ACME_HK", "ACME_CN")
CHANNELS: Final = ("TOTAL", "AGENCY", "BANCA")


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("load", help=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print rows per second."""
    with tempfile.TemporaryDirectory() as folder, running_postgres() as postgres:
        file = Path(folder) / "facts.csv"
        _write(file, options.rows)
        databases = Databases(postgres)
        first, again = [], []
        for _ in range(options.rounds):
            with databases.migrated() as dsn:
                first.append(asyncio.run(_rows_per_second(dsn, file, options.rows)))
                again.append(asyncio.run(_rows_per_second(dsn, file, options.rows)))
    for name, rates in (("new", first), ("the same again", again)):
        print(f"{options.rows:,} rows, {name}: median {median(rates):,.0f} rows/s of {len(rates)} rounds")


async def _rows_per_second(dsn: str, file: Path, rows: int) -> float:
    start = time.perf_counter()
    report = await load_files(dsn, [file], profile=load_profile(PROFILE))
    seconds = time.perf_counter() - start
    assert report.loaded is not None, report.bad[:3]
    assert report.loaded.received == rows
    return rows / seconds


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
