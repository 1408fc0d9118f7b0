"""Reads the tables from which a profile is built: facts, metrics, entities, and names gathered by concept.

A table that lacks a column, or cannot be read to its end, is refused by name; nothing is guessed.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from cli.console import CliError, ExitCode
from runtime.encodings import UTF_8, not_utf_8
from runtime.spreadsheet import delimiter_of, separator_of

Row = Mapping[str, str]
Scope = tuple[str, str, str, str]
"""Entity, period type, period, channel."""

_SEPARATOR: Final = "|"


@dataclass(frozen=True, slots=True)
class FactLine:
    """What a profile needs to know of one fact."""

    metric: str
    metric_label: str
    entity: str
    entity_label: str
    channel: str
    scope: Scope
    value: str
    unit: str
    document: str = ""
    locator: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A metric or entity of a glossary: its code, its label, and further names."""

    code: str
    label: str
    unit: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """Stored codes that a person says mean the same, and how people ask for it."""

    name: str
    codes: tuple[str, ...]
    names: tuple[str, ...]


def read_facts(path: Path) -> list[FactLine]:
    """All facts of a CSV file; the entity column is `entity` or `entity_code`, labels are optional."""
    needed = ("metric_code", "period_type", "period", "value", "unit")
    return [_fact(row, path, line) for line, row in _rows(path, needed, one_of=("entity_code", "entity"))]


def _fact(row: Row, path: Path, line: int) -> FactLine:
    entity = row.get("entity_code") or row.get("entity") or ""
    if not (row["metric_code"] and entity and row["unit"]):
        raise _refuse(path, f"line {line}: metric, entity and unit must not be empty")
    channel = row.get("channel") or "TOTAL"
    return FactLine(
        metric=row["metric_code"],
        metric_label=row.get("metric_label", ""),
        entity=entity,
        entity_label=row.get("entity_label", ""),
        channel=channel,
        scope=(entity, row["period_type"], row["period"], channel),
        value=row["value"],
        unit=row["unit"],
        document=row.get("source_doc_id", ""),
        locator=row.get("source_locator", ""),
    )


def read_metrics(path: Path) -> list[Named]:
    """`metric_code, metric_label, unit, aliases`; aliases are separated by `|`."""
    return [
        Named(row["metric_code"], row["metric_label"], row["unit"], _split(row.get("aliases", "")))
        for _, row in _rows(path, ("metric_code", "metric_label", "unit"))
    ]


def read_entities(path: Path) -> list[Named]:
    """`entity_code, entity_label, full_name`; other columns are ignored."""
    return [
        Named(row["entity_code"], row["entity_label"], "", _split(row.get("full_name", "")))
        for _, row in _rows(path, ("entity_code", "entity_label"))
    ]


def read_concepts(path: Path) -> list[Concept]:
    """`concept, metric_codes, aliases_seen_in_questions` (or `aliases`); both lists are separated by `|`."""
    rows = _rows(path, ("concept", "metric_codes"), one_of=("aliases_seen_in_questions", "aliases"))
    return [
        Concept(
            row["concept"],
            _split(row["metric_codes"]),
            _split(row.get("aliases_seen_in_questions") or row.get("aliases") or ""),
        )
        for _, row in rows
    ]


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(_SEPARATOR) if (name := part.strip()))


def _rows(path: Path, needed: Sequence[str], *, one_of: Sequence[str] = ()) -> Iterator[tuple[int, Row]]:
    try:
        with path.open(encoding=UTF_8, newline="") as file:
            first = file.readline()
            separator = separator_of(first)
            header = file.readline() if separator else first
            before = 1 if separator else 0
            delimiter = separator or delimiter_of(header, needed)
            reader = csv.DictReader(chain([header], file), delimiter=delimiter, strict=True, restval="", restkey="")
            _check_columns(path, reader.fieldnames or (), needed, one_of)
            for row in reader:
                cells = {name: value.strip() for name, value in row.items() if name}
                if any(cells.values()):  # below the last row spreadsheets write empty ones
                    yield before + reader.line_num, cells
    except OSError as error:
        raise _refuse(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CliError(not_utf_8(path, save_as="“CSV UTF-8”"), code=ExitCode.USAGE) from error
    except csv.Error as error:
        raise _refuse(path, f"is no CSV text: {error}") from error


def _check_columns(path: Path, found: Sequence[str], needed: Sequence[str], one_of: Sequence[str]) -> None:
    missing = [name for name in needed if name not in found]
    if one_of and not any(name in found for name in one_of):
        missing.append(" or ".join(one_of))
    if missing:
        raise _refuse(path, f"lacks the column {', '.join(missing)}")


def _refuse(path: Path, reason: str) -> CliError:
    return CliError(f"{path}: {reason}", code=ExitCode.USAGE)
