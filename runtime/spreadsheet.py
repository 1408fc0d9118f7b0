"""What spreadsheet programs do to a CSV file: a `sep=` line, other separators, empty rows and columns."""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Final

_SEPARATOR_LINE: Final = re.compile(r'\s*"?sep=(.)"?\s*', re.IGNORECASE)
_DELIMITERS: Final = (",", ";", "\t")


def separator_of(line: str) -> str | None:
    """The separator that a first line such as `sep=;` names; None when it is no such line."""
    match = _SEPARATOR_LINE.fullmatch(line)
    return match[1] if match else None


def delimiter_of(header: str, columns: Iterable[str]) -> str:
    """The comma, unless the header names these columns only with a semicolon or a tab between them."""
    wanted = set(columns)
    for delimiter in _DELIMITERS:
        cells = next(csv.reader([header], delimiter=delimiter), list[str]())
        if wanted <= {cell.strip().casefold() for cell in cells}:
            return delimiter
    return _DELIMITERS[0]


def is_blank(cells: Sequence[str]) -> bool:
    """Whether a row has no content, as those that a spreadsheet writes below its last one."""
    return not any(cell.strip() for cell in cells)


def without_blank_end(cells: list[str], width: int = 0) -> list[str]:
    """The cells without empty ones at the end, as far as there are more than `width`."""
    end = len(cells)
    while end > width and not cells[end - 1].strip():
        end -= 1
    return cells[:end]
