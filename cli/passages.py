"""`ragspine passages`: withdraw a document. Loading is `ragspine load passages`."""

from pathlib import Path
from typing import Annotated

import typer

from cli.ask import UrlOption
from cli.client import Gateway
from cli.console import CliError, note
from cli.finding import find_gateway
from cli.settings import DataDirOption
from contracts.v1.narrative import PassagesWithdrawn

app = typer.Typer(help="Withdraw a document's passages.", no_args_is_help=True, rich_markup_mode=None)

WITHDRAW_HELP = """Withdraw all passages of one document: no answer cites them any more. Loading it again revives them.

\b
Example:
  ragspine passages withdraw reports/2024.md
"""


@app.callback()
def _group() -> None:
    """Room for further commands."""


@app.command("withdraw", help=WITHDRAW_HELP)
def withdraw(
    document: Annotated[str, typer.Argument(help="The document, as answers cite it.")],
    url: Annotated[str | None, UrlOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Withdraw a document."""
    gateway = Gateway(find_gateway(url, data_dir, may_be_demo=False))
    reply = gateway.call("DELETE", "/v1/passages", query={"doc_id": document})
    count = PassagesWithdrawn.model_validate_json(reply.text).withdrawn
    if count == 0:
        raise CliError(f"no passage of {document!r} is loaded", hint="a file is called by its path below its folder")
    note(f"{count} passages withdrawn")
