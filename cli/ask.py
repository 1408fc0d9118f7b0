"""`ragspine ask`: one question to the running stack."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from cli.answers import exit_code, options_of, quiet_exit_code, show_answer, show_details, show_numbers
from cli.client import Gateway
from cli.console import CliError, ExitCode, command_name, err, note, out, speaks_to_people
from cli.durable import ask_durably, read_reply
from cli.finding import find_gateway
from cli.settings import DataDirOption
from contracts.codes import Locale
from contracts.v1.ask import AnswerResult

HELP = """Ask one question and print the answer; every number in it is a fact with its source.

\b
Exit codes: 0 answered, 3 refused (nothing found), 4 needs a choice, 5 out of scope,
            7 degraded, timed out or no stack, 2 wrong use; with -q also 8 sources disagree.
With --json an error is {"error": {"code", "message", "next"}} on standard output, with the same exit codes.

\b
Examples:
  ragspine ask "中国内地FY2024的REVENUE是多少"
  ragspine ask "revenue of hong kong" --choose 1       take the first option that is offered
  ragspine ask "香港2024营收" -q                        only the number, for scripts; where sources disagree each
                                                        value with its source, and exit code 8; of a
                                                        calculation its results with their units
  echo "香港2024营收" | ragspine ask -                  the question from standard input
  ragspine ask "香港2024营收" --durable                 survives every outage; Ctrl-C leaves it running, and
                                                        `ragspine asks show ID` finds its answer later
"""

UrlOption = typer.Option("--url", help="Gateway to ask. Default: RAGSPINE_URL, else the running stack.")


def ask(
    question: Annotated[str, typer.Argument(help='The question; "-" reads it from standard input.')],
    as_json: Annotated[bool, typer.Option("--json", help="The whole AnswerResult as one JSON object.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the numbers, one a line; 8 when sources disagree.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Route, scopes and sources as a table.")] = False,
    choose: Annotated[int | None, typer.Option(min=1, metavar="N", help="Continue with option N at once.")] = None,
    locale: Annotated[Locale | None, typer.Option(help="Language of the answer. Default: that of the profile.")] = None,
    reference_date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help='What "last year" counts from. Default: today.')
    ] = None,
    default_entity: Annotated[str | None, typer.Option(metavar="CODE", help="Assumed when none is named.")] = None,
    deadline: Annotated[float | None, typer.Option(min=0.1, max=300, metavar="SECONDS", help="Answer by then.")] = None,
    durable: Annotated[
        bool, typer.Option("--durable", help="Hand it in to be answered whatever happens, and wait for it.")
    ] = False,
    url: Annotated[str | None, UrlOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Ask, print, and end with the exit code that the answer means."""
    request: dict[str, object] = {"question": _read_question(question)}
    request |= {"locale": locale.value} if locale else {}
    request |= {"reference_date": _checked_date(reference_date)} if reference_date else {}
    request |= {"default_entity": default_entity} if default_entity else {}
    for_people = speaks_to_people() and not as_json and not quiet
    gateway = Gateway(find_gateway(url, data_dir, may_be_demo=for_people))
    ask_once = ask_durably if durable else ask_gateway
    result = ask_once(gateway, request, deadline)
    if choose is not None:
        chosen = _chosen_question(result, choose, is_shown=not as_json and not quiet)
        note(f"→ {chosen}", style="dim")
        result = ask_once(gateway, {**request, "question": chosen}, deadline)
    _show(result, as_json=as_json, quiet=quiet)
    if verbose:
        note(f"answered by {gateway.url}", style="dim")
        show_details(result)
    elif options_of(result) and not as_json and not quiet and err.is_terminal:
        note(f"choose with:  {command_name()} ask … --choose N", style="dim")
    raise typer.Exit(quiet_exit_code(result) if quiet and not as_json else exit_code(result))


def ask_gateway(gateway: Gateway, request: dict[str, object], deadline_seconds: float | None) -> AnswerResult:
    """One ask; raises `CliError` when it is not answered."""
    reply = gateway.call("POST", "/v1/ask", body=request, deadline_seconds=deadline_seconds)
    return read_reply(reply.text, AnswerResult, gateway)


def _show(result: AnswerResult, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        out.print(result.model_dump_json(indent=2), markup=False)
    elif quiet:
        show_numbers(result)
    else:
        show_answer(result)


def _chosen_question(result: AnswerResult, number: int, *, is_shown: bool) -> str:
    options = options_of(result)
    if number > len(options):
        offered = f"1 to {len(options)}" if options else "none"
        if is_shown:
            show_answer(result)
        raise CliError(f"--choose {number}: options offered: {offered}", code=ExitCode.USAGE)
    return options[number - 1].question


def _read_question(question: str) -> str:
    text = typer.get_text_stream("stdin").read() if question == "-" else question
    if not text.strip():
        raise CliError("the question is empty", hint='ask "…"', code=ExitCode.USAGE)
    return text


def _checked_date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise CliError(f"--reference-date {text}: not a date", hint="as in 2025-05-20", code=ExitCode.USAGE) from None
