"""`ragspine asks`: durable asks, newest first; one of them with its answer; a failed one again."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cli.answers import exit_code, show_answer
from cli.ask import UrlOption
from cli.client import Gateway
from cli.console import CliError, ExitCode, command_name, note, out, print_table, speaks_to_people
from cli.durable import answer_of, call_on, find_ask, read_reply, wait_for
from cli.finding import find_gateway
from cli.settings import DataDirOption
from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import MAX_ASKS_PAGE, AskList, AskStatus, AskSummary

app = typer.Typer(
    help="Durable asks: list them, show one with its answer, try a failed one again.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

LIST_HELP = """List durable asks, newest first.

\b
Examples:
  ragspine asks list --state failed
  ragspine asks list --json                            one JSON object a line
"""
SHOW_HELP = """Show a durable ask; its answer as `ask` prints it.

\b
Exit codes: as `ask` of its answer; 7 when it has not ended yet; of a failed one those of its error.

\b
Examples:
  ragspine asks show 0b7c3d                            the id, as `ask --durable` and `asks list` print it
  ragspine asks show 0b7c3d --wait                     wait until it has ended
"""
RETRY_HELP = """Try a failed ask again, under its own id.

\b
Example:
  ragspine asks retry 0b7c3d
"""

Id = Annotated[str, typer.Argument(metavar="ID", help="The ask, as `asks list` shows it.")]
Url = Annotated[str | None, UrlOption]
DataDir = Annotated[Path | None, DataDirOption]
AsJson = Annotated[bool, typer.Option("--json", help="The whole reply as JSON.")]


@app.command("list", help=LIST_HELP)
def list_asks(
    state: Annotated[AskState | None, typer.Option(help="Only asks in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Show so many at most.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Page through the asks."""
    asks, is_cut = _read(_gateway(url, data_dir, as_json=as_json), state, limit)
    if as_json:
        for ask in asks:
            out.print(ask.model_dump_json(), markup=False)
    else:
        headings = ("ask", "state", "attempts", "accepted", "ended", "reason")
        print_table(out, headings, [_cells(ask) for ask in asks], right="attempts")
    note(
        f"{len(asks)} {'ask' if len(asks) == 1 else 'asks'}{' (there are more: --limit)' if is_cut else ''}",
        style="dim",
    )


@app.command("show", help=SHOW_HELP)
def show(
    ask_id: Id,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended.")] = False,
    deadline: Annotated[float | None, typer.Option(min=0.1, metavar="SECONDS", help="Wait no longer.")] = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Show one ask, and end with the exit code that its answer means."""
    gateway = _gateway(url, data_dir, as_json=as_json)
    status = find_ask(gateway, ask_id)
    if wait:
        status = wait_for(gateway, status, None if deadline is None else time.monotonic() + deadline)
    if as_json:
        out.print(status.model_dump_json(indent=2), markup=False)
        raise typer.Exit(_meaning(status))
    if status.state in (AskState.QUEUED, AskState.WORKING):
        waits = f", waits for a part that is away ({status.error_code})" if status.error_code else ""
        note(f"{status.state}{waits}; wait for it with --wait")
    else:
        show_answer(answer_of(status))
    raise typer.Exit(_meaning(status))


@app.command("retry", help=RETRY_HELP)
def retry(ask_id: Id, as_json: AsJson = False, url: Url = None, data_dir: DataDir = None) -> None:
    """Queue a failed ask again."""
    gateway = _gateway(url, data_dir, as_json=True)
    status = call_on(gateway, ask_id, "POST", "/retry")
    if as_json:
        out.print(status.model_dump_json(indent=2), markup=False)
    note(f"{status.state}; see it with `{command_name()} asks show {status.ask_id} --wait`")


def _meaning(status: AskStatus) -> ExitCode:
    if status.answer is not None:
        return exit_code(status.answer)
    if status.error is None:
        return ExitCode.DEGRADED
    try:
        answer_of(status)
    except CliError as error:
        return error.code
    return ExitCode.FAILED


def _gateway(url: str | None, data_dir: Path | None, *, as_json: bool) -> Gateway:
    return Gateway(find_gateway(url, data_dir, may_be_demo=speaks_to_people() and not as_json))


def _read(gateway: Gateway, state: AskState | None, limit: int) -> tuple[list[AskSummary], bool]:
    asks: list[AskSummary] = []
    before: int | None = None
    only = {} if state is None else {"state": state.value}
    while len(asks) < limit:
        place = {} if before is None else {"before": str(before)}
        query = {"limit": str(min(MAX_ASKS_PAGE, limit - len(asks))), **only, **place}
        page = read_reply(gateway.call("GET", "/v1/asks", query=query).text, AskList, gateway)
        asks.extend(page.asks)
        before = page.next
        if before is None:
            return asks, False
    return asks, True


def _cells(ask: AskSummary) -> tuple[str, ...]:
    ended = f"{ask.finished_at:%Y-%m-%d %H:%M:%S}" if ask.finished_at else ""
    reason: ErrorCode | str = ask.error_code or ""
    return (ask.ask_id, ask.state, str(ask.attempts), f"{ask.accepted_at:%Y-%m-%d %H:%M:%S}", ended, str(reason))
