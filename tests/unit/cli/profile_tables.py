"""Small tables of a fictional company, written as the files that `profile from-csv` reads."""

import csv
from collections.abc import Sequence
from pathlib import Path

FACT_COLUMNS = (
    "metric_code",
    "metric_label",
    "entity_code",
    "entity_label",
    "period_type",
    "period",
    "channel",
    "value",
    "unit",
    "source_doc_id",
    "source_locator",
    "valid_as_of",
)


def fact(
    metric: str,
    label: str,
    value: str = "1",
    *,
    entity: str = "ACME",
    entity_label: str = "Acme Tea, Inc.",
    period: str = "2023",
    channel: str = "TOTAL",
    unit: str = "USD_M",
) -> tuple[str, ...]:
    """One row of a facts file."""
    return (metric, label, entity, entity_label, "FY", period, channel, value, unit, "report.pdf", "page=1", "")


def write_facts(path: Path, *rows: Sequence[str]) -> Path:
    """A facts file."""
    return write_table(path, FACT_COLUMNS, *rows)


def write_table(path: Path, columns: Sequence[str], *rows: Sequence[str]) -> Path:
    """Any CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path
