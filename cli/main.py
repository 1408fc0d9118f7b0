"""The command table. Only the used command's module is imported, so that `ask` does not pay for `up`."""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

import typer

from cli.console import CliError, ExitCode, command_name, show_error, show_error_as_json

COMMANDS: Final[dict[str, str]] = {
    "demo": "cli.demo:demo",
    "up": "cli.up:up",
    "down": "cli.down:down",
    "status": "cli.status:status",
    "logs": "cli.logs:logs",
    "ask": "cli.ask:ask",
    "asks": "cli.asks:app",
    "load": "cli.load:app",
    "facts": "cli.facts:app",
    "passages": "cli.passages:app",
    "faq": "cli.faq:app",
    "keys": "cli.keys:app",
    "profile": "cli.profile:app",
    "bus": "cli.bus.commands:app",
    "eval": "cli.eval.command:evaluate",
    "doctor": "cli.doctor:doctor",
}
"""Command to `module:name`, in the order in which help lists them: a function with the module's `HELP`, or a group."""

HELP: Final = """Ask a company's metrics; every number is a fact with its source, or it is refused.

\b
Start with one of:
  ragspine demo                      a fictional company, five questions, one minute
  ragspine up                        start the stack in this terminal
  ragspine ask "香港2024营收"         ask the running stack
"""


def make_app(wanted: str | None) -> typer.Typer:
    """The application with the command `wanted` only, or with every command (for help and typing errors)."""
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_nothing_in_common)
    for name, target in COMMANDS.items():
        if wanted in (None, name):
            _mount(app, name, target)
    return app


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code. With `--json` an error is a JSON object on standard output, too."""
    wanted = arguments[0] if arguments and arguments[0] in COMMANDS else None
    as_json = "--json" in arguments
    try:
        make_app(wanted)(args=list(arguments), prog_name=os.path.basename(command_name()))
    except CliError as error:
        if as_json:
            show_error_as_json(error.reason, error.message, error.hint)
        show_error(error)
        return error.code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except SystemExit as stop:
        # What the option parser raises for a wrong command line, before it ends the process.
        explain: Callable[[], str] | None = getattr(stop.__context__, "format_message", None)
        if as_json and explain is not None:
            next_step = f"{command_name()} {wanted or ''} --help".replace("  ", " ")
            show_error_as_json(ExitCode.USAGE.name.lower(), explain(), next_step)
        return stop.code if isinstance(stop.code, int) else ExitCode.FAILED
    return ExitCode.OK


def _mount(app: typer.Typer, name: str, target: str) -> None:
    module_name, _, attribute = target.partition(":")
    module: ModuleType = import_module(module_name)
    command: typer.Typer | Callable[..., None] = getattr(module, attribute)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name, help=module.HELP)(command)


def _nothing_in_common() -> None:
    """Every command has its own options."""
