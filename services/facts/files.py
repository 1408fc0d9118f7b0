"""Rows of CSV and JSONL files, read as a stream: each with its physical line, or with the reasons why it is none.

A file that cannot be read to its end raises `FileError`: what follows a broken quote or a wrong encoding cannot be
trusted, so nothing is guessed.
"""

import csv
import io
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final, cast

from services.facts.rows import DEFAULTS, Problem, Row, RowChecker

MAX_LINE_CHARS: Final = 1_000_000
"""A longer line is not a row of facts, and would only fill the memory."""

IGNORED_COLUMNS: Final = frozenset({"metric_label", "entity_label"})
ENTITY_COLUMNS: Final = ("entity", "entity_code")
"""Two names of the same column."""

_JSONL_SUFFIXES: Final = frozenset({".jsonl", ".ndjson", ".json"})
_DELIMITERS: Final = (",", ";", "\t")
_REQUIRED: Final = tuple(name for name in Row._fields if name not in DEFAULTS)
_WRONG_START: Final = {
    b"PK\x03\x04": "is an Excel or ZIP file; save the sheet as “CSV UTF-8” and load that",
    b"\xff\xfe": "is UTF-16; save it as “CSV UTF-8” and load that",
    b"\xfe\xff": "is UTF-16; save it as “CSV UTF-8” and load that",
}

Checked = Row | tuple[Problem, ...]
Numbered = tuple[int, Checked]
"""The physical line, from 1, on which a row begins, and the row or what is wrong with it."""


class FileError(Exception):
    """A file that cannot be read; the message names the file, the line where it is known, and what to do."""


@dataclass(frozen=True, slots=True)
class FactFile:
    """An open file of facts."""

    rows: Iterator[Numbered]
    position: Callable[[], int]
    """Bytes read so far; 0 for a pipe."""


@contextmanager
def open_facts(path: Path, checker: RowChecker) -> Generator[FactFile]:
    """Open a file and check its header; raises `FileError`."""
    try:
        binary = path.open("rb")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    with binary:
        start = binary.peek(4)[:4]
        for magic, reason in _WRONG_START.items():
            if start.startswith(magic):
                raise FileError(f"{path}: {reason}")
        text = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
        read = _read_jsonl if path.suffix.lower() in _JSONL_SUFFIXES else _read_csv
        position = binary.tell if binary.seekable() else _nowhere
        yield FactFile(_guarded(path, read(path, _lines(path, text), checker)), position)


def _nowhere() -> int:
    return 0


def _guarded(path: Path, rows: Iterator[Numbered]) -> Iterator[Numbered]:
    try:
        yield from rows
    except UnicodeDecodeError:
        where = f"{path}:{_first_line_not_utf8(path)}" if path.is_file() else path
        raise FileError(
            f"{where}: is not UTF-8; save the file as “CSV UTF-8”, or convert it: iconv -f GB18030 -t UTF-8 FILE"
        ) from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error


def _first_line_not_utf8(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _lines(path: Path, text: io.TextIOWrapper) -> Iterator[str]:
    number = 1
    while line := text.readline(MAX_LINE_CHARS):
        if len(line) == MAX_LINE_CHARS:
            raise FileError(f"{path}:{number}: is longer than {MAX_LINE_CHARS:,} characters")
        yield line
        number += 1


def _read_csv(path: Path, lines: Iterator[str], checker: RowChecker) -> Iterator[Numbered]:
    header = next(lines, "")
    start = 1
    try:
        reader = csv.reader(_chain(header, lines), delimiter=_delimiter(header), strict=True)
        names = next(reader, list[str]())
        width, pick = len(names), _picker(path, names)
        start = reader.line_num + 1
        for cells in reader:
            line, start = start, reader.line_num + 1
            if len(cells) == width:
                yield line, checker.check(pick(cells))
            elif cells:
                yield line, (Problem("", f"has {len(cells)} cells, the header has {width}; is a quote missing?"),)
    except csv.Error as error:
        raise FileError(f"{path}:{start}: is not CSV from here on: {error}; is a quote not closed?") from error


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _delimiter(header: str) -> str:
    """The comma, unless the header is only readable with a semicolon or a tab."""
    for delimiter in _DELIMITERS:
        cells = {cell.strip().casefold() for cell in next(csv.reader([header], delimiter=delimiter), list[str]())}
        if cells.issuperset({"metric_code", "value"}):
            return delimiter
    return _DELIMITERS[0]


def _picker(path: Path, names: Sequence[str]) -> Callable[[Sequence[str]], Row]:
    """How a record becomes a row; raises `FileError` for a header that cannot be used."""
    columns = [name.strip().casefold() for name in names]
    columns = ["entity" if name in ENTITY_COLUMNS else name for name in columns]
    if not columns:
        raise FileError(f"{path}: is empty; the first line must name the columns: {_expected()}")
    if missing := [name for name in _REQUIRED if name not in columns]:
        raise FileError(f"{path}:1: the header lacks {', '.join(missing)}; expected: {_expected()}")
    if unknown := [name for name in columns if name not in Row._fields and name not in IGNORED_COLUMNS]:
        raise FileError(f"{path}:1: unknown column {', '.join(map(repr, unknown))}; expected: {_expected()}")
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise FileError(f"{path}:1: column {', '.join(twice)} appears more than once")
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
        parsed: object = json.loads(line, object_pairs_hook=_without_repeats)
    except _RepeatedNameError as error:
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


class _RepeatedNameError(Exception):
    """A JSON object names the same thing twice; which of the values is meant, nobody knows."""


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedNameError(next(name for name in names if names.count(name) > 1))
    return fields
