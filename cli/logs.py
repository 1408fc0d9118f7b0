"""`ragspine logs`: the last lines of every process, or of one, and what follows."""

from pathlib import Path
from typing import Annotated

import typer

from cli.console import CliError, ExitCode, out
from cli.finding import settle_directory
from cli.settings import DataDirOption
from cli.stack.logs import follow, last_lines

HELP = """Show the logs of the stack, or of one process of it. They hold codes, counts and timings, never questions.

\b
Examples:
  ragspine logs                  the last lines of every process
  ragspine logs -f facts         follow one
"""


def logs(
    service: Annotated[str | None, typer.Argument(help="A process, as `ragspine status` names it.")] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
    follow_on: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, max=10_000, help="Lines of each log.")] = 20,
) -> None:
    """Print log lines, each after the name of its process."""
    chosen = _choose(settle_directory(data_dir) / "logs", service)
    width = max(len(log.stem) for log in chosen)
    for log in chosen:
        for line in last_lines(log, lines):
            _show(log, line, width)
    if follow_on:
        try:
            for log, line in follow(chosen):
                _show(log, line, width)
        except KeyboardInterrupt:
            raise typer.Exit(ExitCode.INTERRUPTED) from None


def _choose(folder: Path, service: str | None) -> list[Path]:
    found = sorted(folder.glob("*.log"))
    if not found:
        raise CliError(f"there are no logs in {folder}", hint="name the stack's directory with --data-dir")
    if service is None:
        return found
    matching = [log for log in found if log.stem == service]
    if not matching:
        names = ", ".join(log.stem for log in found)
        raise CliError(f"there is no process {service!r}", hint=f"one of: {names}", code=ExitCode.USAGE)
    return matching


def _show(log: Path, line: str, width: int) -> None:
    out.print(f"{log.stem:{width}} | {line}", markup=False)
