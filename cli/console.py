"""How the command line speaks: answers on stdout, progress and errors on stderr, exit codes that scripts can rely on.

A user's mistake ends as `CliError`: one sentence on what is wrong, one on what to do next, never a traceback.
"""

import os
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

MAX_WIDTH: Final = 10_000
"""Columns of a line that goes to a file or a pipe: as many as it needs."""

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
    INTERRUPTED = 130  # Ctrl-C


class CliError(Exception):
    """A command that cannot go on: what is wrong, and what to do next."""

    def __init__(self, message: str, *, hint: str = "", code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


def command_name() -> str:
    """How the user called this program, for hints that can be pasted."""
    return os.environ.get("RAGSPINE_COMMAND", "ragspine")


def print_table(console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "") -> None:
    """A plain table: nothing is cut; only the last column is folded, and only on a terminal.

    `right` names the column whose cells are set to the right.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        is_last = heading == headings[-1]
        justify: JustifyMethod = "right" if heading == right else "left"
        table.add_column(heading, no_wrap=not is_last, overflow="fold", justify=justify)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if console.is_terminal:
        console.print(table)
    else:
        Console(file=console.file, width=MAX_WIDTH, highlight=False).print(table)


def show_error(error: CliError) -> None:
    """Print an error and its hint on stderr."""
    err.print(Text.assemble(("error: ", "bold red"), error.message))
    if error.hint:
        err.print(Text.assemble(("hint:  ", "bold"), error.hint))


def note(message: str, *, style: str = "") -> None:
    """A line of progress on stderr."""
    err.print(Text(message, style=style))
