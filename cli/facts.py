"""`ragspine facts`: what is loaded, with lineage; withdraw a document. Loading is `ragspine load`."""

from pathlib import Path
from typing import Annotated

import typer

from cli.ask import UrlOption
from cli.client import Gateway
from cli.console import CliError, note, out, print_table, speaks_to_people
from cli.finding import find_gateway
from cli.settings import DataDirOption
from contracts.v1.facts import FactList, FactsWithdrawn, StoredFact

app = typer.Typer(
    help="List loaded facts with their lineage, or withdraw a document.", no_args_is_help=True, rich_markup_mode=None
)

LIST_HELP = """List facts: value, unit, source, status. Every filter is optional.

\b
Examples:
  ragspine facts list --entity ACME_CN --period 2024
  ragspine facts list --json
"""
WITHDRAW_HELP = """Withdraw all facts of one source document: they answer no more. Loading it again revives them.

\b
Example:
  ragspine facts withdraw ACME_FY2024_Review.pptx
"""


@app.command("list", help=LIST_HELP)
def list_facts(
    metric: Annotated[str | None, typer.Option(metavar="CODE", help="Only this metric.")] = None,
    entity: Annotated[str | None, typer.Option(metavar="CODE", help="Only this entity.")] = None,
    period: Annotated[str | None, typer.Option(help="Only this period, as stored: 2024, 2024H1, 2024Q3.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, with earlier values.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="At most so many.")] = 500,
    url: Annotated[str | None, UrlOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Page through the facts."""
    filters = {k: v for k, v in {"metric": metric, "entity": entity, "period": period}.items() if v}
    may_be_demo = speaks_to_people() and not as_json
    facts, is_cut = _read(Gateway(find_gateway(url, data_dir, may_be_demo=may_be_demo)), filters, limit)
    if as_json:
        for fact in facts:
            out.print(fact.model_dump_json(), markup=False)
    else:
        _show(facts)
    note(
        f"{len(facts)} {'fact' if len(facts) == 1 else 'facts'}{' (there are more: --limit)' if is_cut else ''}",
        style="dim",
    )


@app.command("withdraw", help=WITHDRAW_HELP)
def withdraw(
    document: Annotated[str, typer.Argument(help="The source document, as `facts list` shows it.")],
    url: Annotated[str | None, UrlOption] = None,
    data_dir: Annotated[Path | None, DataDirOption] = None,
) -> None:
    """Withdraw a document."""
    gateway = Gateway(find_gateway(url, data_dir, may_be_demo=False))
    reply = gateway.call("DELETE", "/v1/facts", query={"source_doc_id": document})
    count = FactsWithdrawn.model_validate_json(reply.text).withdrawn
    if count == 0:
        raise CliError(f"no visible fact comes from {document!r}", hint="see `facts list`")
    note(f"{count} facts withdrawn")


def _read(gateway: Gateway, filters: dict[str, str], limit: int) -> tuple[list[StoredFact], bool]:
    facts: list[StoredFact] = []
    after: int | None = None
    while len(facts) < limit:
        query = {**filters, "limit": str(min(500, limit - len(facts)))}
        if after is not None:
            query["after"] = str(after)
        page = FactList.model_validate_json(gateway.call("GET", "/v1/facts", query=query).text)
        facts.extend(page.facts)
        after = page.next_after
        if after is None:
            return facts, False
    return facts, True


def _show(facts: list[StoredFact]) -> None:
    headings = ("metric", "entity", "period", "channel", "value", "unit", "as of", "state", "source")
    print_table(out, headings, [_cells(fact) for fact in facts], right="value")


def _cells(fact: StoredFact) -> tuple[str, ...]:
    as_of = fact.valid_as_of.isoformat() if fact.valid_as_of else ""
    state = "withdrawn" if fact.withdrawn else fact.review_status.value
    source = f"{fact.source_doc_id} · {fact.source_locator}"
    value = format(fact.value, "f")
    return (fact.metric_code, fact.entity, fact.period, fact.channel, value, fact.unit, as_of, state, source)
