"""How the command line speaks: answers on stdout, progress and errors on stderr, exit codes that scripts can rely on.

A user's mistake ends as `CliError`: one sentence on what is wrong, one on what to do next, never a traceback.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

MAX_WIDTH: Final = 10_000
"""Columns of a line that goes to a file or a pipe: as many as it needs."""
PADDING: Final = 2
"""Blanks between two columns."""
MIN_LAST_WIDTH: Final = 24
"""The narrowest last column into which a source is still folded well."""

out = Console(highlight=False, soft_wrap=True)
"""Answers."""
err = Console(stderr=True, highlight=False, soft_wrap=True)
"""Progress, hints and errors."""


class ExitCode(IntEnum):
    """What a finished command means."""

    OK = 0  # done, answered
    FAILED = 1  # the stack could not be started, a check failed
    USAGE = 2  # wrong option, wrong input
    REFUSED = 3  # nothing found
    NEEDS_CHOICE = 4  # asked back, options printed
    OUT_OF_SCOPE = 5  # a company that is not ours
    DENIED = 6  # key or scope missing
    DEGRADED = 7  # a part is away, or the deadline passed
    CONFLICTING = 8  # sources disagree about the number that was to be printed alone
    INTERRUPTED = 130  # Ctrl-C
    TERMINATED = 143  # asked to stop before it was ready


class CliError(Exception):
    """A command that cannot go on: what is wrong, and what to do next."""

    def __init__(self, message: str, *, hint: str = "", code: ExitCode = ExitCode.FAILED, reason: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.reason = reason or code.name.lower()
        """What programs key on: the code of the gateway's error where there is one."""


def speaks_to_people() -> bool:
    """Whether standard output is a terminal, and no program reads it."""
    return sys.stdout.isatty()


def command_name() -> str:
    """How the user called this program, for hints that can be pasted."""
    return os.environ.get("RAGSPINE_COMMAND", "ragspine")


def print_table(console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "") -> None:
    """A plain table of which nothing is ever cut.

    On a terminal the last column is folded; where that is not enough each row becomes a block of lines, one a cell.
    `right` names the column whose cells are set to the right.
    """
    cells = [tuple(Text(cell) for cell in row) for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, PADDING, 0, 0))
    for heading in headings:
        is_last = heading == headings[-1]
        justify: JustifyMethod = "right" if heading == right else "left"
        table.add_column(heading, no_wrap=not is_last, overflow="fold", justify=justify)
    for row in cells:
        table.add_row(*row)
    if not console.is_terminal:
        Console(file=console.file, width=MAX_WIDTH, highlight=False).print(table)
    elif _needed_width(headings, cells) <= console.width:
        console.print(table)
    else:
        _print_blocks(console, headings, cells)


def _needed_width(headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> int:
    """Columns that a table needs when only its last one is folded."""
    widest = [max([cell_len(heading), *(row[i].cell_len for row in rows)]) for i, heading in enumerate(headings)]
    return sum(width + PADDING for width in widest[:-1]) + min(widest[-1], MIN_LAST_WIDTH)


def _print_blocks(console: Console, headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    for number, row in enumerate(rows):
        if number:
            console.print()
        block = Table.grid(padding=(0, PADDING, 0, 0))
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for heading, cell in zip(headings, row, strict=True):
            if cell.plain:
                block.add_row(Text(heading, "dim"), cell)
        console.print(block)


def show_error(error: CliError) -> None:
    """Print an error and its hint on stderr."""
    err.print(Text.assemble(("error: ", "bold red"), error.message))
    if error.hint:
        err.print(Text.assemble(("hint:  ", "bold"), error.hint))


def show_error_as_json(reason: str, message: str, next_step: str) -> None:
    """The same on stdout as one JSON object, where a program has asked for JSON."""
    text = "\n".join(line.strip() for line in message.splitlines())
    error = {"code": reason, "message": text, "next": next_step}
    out.print(json.dumps({"error": error}, ensure_ascii=False), markup=False)


def note(message: str, *, style: str = "") -> None:
    """A line of progress on stderr."""
    err.print(Text(message, style=style))
