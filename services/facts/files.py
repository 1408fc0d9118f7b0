"""Rows of CSV and JSONL files, read as a stream: each with its physical line, or with the reasons why it is none.

A file that cannot be read to its end raises `FileError`: what follows a broken quote or a wrong encoding cannot be
trusted, so nothing is guessed.
"""

import csv
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final, cast

from runtime.spreadsheet import delimiter_of, is_blank, separator_of, without_blank_end
from runtime.text_files import FileError, RepeatedNameError, open_lines, without_repeats
from services.facts.rows import DEFAULTS, Problem, Row, RowChecker

MAX_LINE_CHARS: Final = 1_000_000
"""A longer line is not a row of facts, and would only fill the memory."""

IGNORED_COLUMNS: Final = frozenset({"metric_label", "entity_label"})
ENTITY_COLUMNS: Final = ("entity", "entity_code")
"""Two names of the same column."""

_JSONL_SUFFIXES: Final = frozenset({".jsonl", ".ndjson", ".json"})
_REQUIRED: Final = tuple(name for name in Row._fields if name not in DEFAULTS)
Checked = Row | tuple[Problem, ...]
Numbered = tuple[int, Checked]
"""The physical line, from 1, on which a row begins, and the row or what is wrong with it."""


@dataclass(frozen=True, slots=True)
class FactFile:
    """An open file of facts."""

    rows: Iterator[Numbered]
    position: Callable[[], int]
    """Bytes read so far; 0 for a pipe."""


@contextmanager
def open_facts(path: Path, checker: RowChecker, *, encoding: str | None = None) -> Generator[FactFile]:
    """Open a file and check its header; raises `FileError`. Without `encoding` it must be UTF-8."""
    opening = open_lines(path, max_chars=MAX_LINE_CHARS, save_as="“CSV UTF-8”", encoding=encoding, option="--encoding")
    with opening as file:
        read = _read_jsonl if path.suffix.lower() in _JSONL_SUFFIXES else _read_csv
        yield FactFile(file.guarded(read(path, file.lines, checker)), file.position)


def _read_csv(path: Path, lines: Iterator[str], checker: RowChecker) -> Iterator[Numbered]:
    header, before = next(lines, ""), 0
    separator = separator_of(header)
    if separator is not None:
        header, before = next(lines, ""), 1
    start = before + 1
    try:
        delimiter = separator or delimiter_of(header, ("metric_code", "value"))
        reader = csv.reader(_chain(header, lines), delimiter=delimiter, strict=True)
        names = without_blank_end(next(reader, list[str]()))
        width, pick = len(names), _picker(path, names, before + 1)
        start = before + reader.line_num + 1
        for cells in reader:
            line, start = start, before + reader.line_num + 1
            if len(cells) > width:
                cells = without_blank_end(cells, width)
            if not cells or (not cells[0].strip() and is_blank(cells)):
                continue
            if len(cells) == width:
                yield line, checker.check(pick(cells))
            else:
                yield line, (Problem("", f"has {len(cells)} cells, the header has {width}; is a quote missing?"),)
    except csv.Error as error:
        raise FileError(f"{path}:{start}: is not CSV from here on: {error}; is a quote not closed?") from error


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _picker(path: Path, names: Sequence[str], line: int) -> Callable[[Sequence[str]], Row]:
    """How a record becomes a row; raises `FileError` for a header that cannot be used."""
    columns = [name.strip().casefold() for name in names]
    columns = ["entity" if name in ENTITY_COLUMNS else name for name in columns]
    if not columns:
        raise FileError(f"{path}: is empty; the first line must name the columns: {_expected()}")
    if missing := [name for name in _REQUIRED if name not in columns]:
        raise FileError(f"{path}:{line}: the header lacks {', '.join(missing)}; expected: {_expected()}")
    if unknown := [name for name in columns if name not in Row._fields and name not in IGNORED_COLUMNS]:
        raise FileError(f"{path}:{line}: unknown column {', '.join(map(repr, unknown))}; expected: {_expected()}")
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise FileError(f"{path}:{line}: column {', '.join(twice)} appears more than once")
    # A column that the file leaves out is read from the defaults behind the cells.
    defaults = list(DEFAULTS.values())
    places = [
        columns.index(name) if name in columns else len(columns) + list(DEFAULTS).index(name) for name in Row._fields
    ]
    get = itemgetter(*places)

    def pick(cells: Sequence[str]) -> Row:
        row = Row._make(get([*cells, *defaults]))
        if row.channel and row.review_status:
            return row
        return row._replace(
            channel=row.channel or DEFAULTS["channel"], review_status=row.review_status or DEFAULTS["review_status"]
        )

    return pick


def _expected() -> str:
    optional = ", ".join(DEFAULTS)
    return f"{', '.join(_REQUIRED)}, and where needed {optional}"


def _read_jsonl(path: Path, lines: Iterator[str], checker: RowChecker) -> Iterator[Numbered]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _read_object(line, checker)


def _read_object(line: str, checker: RowChecker) -> Checked:
    try:
        parsed: object = json.loads(line, object_pairs_hook=without_repeats)
    except RepeatedNameError as error:
        return (Problem(str(error), "is named twice"),)
    except (ValueError, RecursionError):
        return (Problem("", "is not JSON: each line must be one object"),)
    if not isinstance(parsed, dict):
        return (Problem("", "must be a JSON object with the columns as names"),)
    raw = cast("dict[str, object]", parsed)
    if raw.keys() >= set(ENTITY_COLUMNS):
        return (Problem("entity", "is given twice, as entity and as entity_code"),)
    fields = {
        "entity" if name in ENTITY_COLUMNS else name: value
        for name, value in raw.items()
        if name not in IGNORED_COLUMNS
    }
    return checker.check_object(fields)
