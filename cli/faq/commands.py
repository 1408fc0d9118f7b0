"""The commands of `ragspine faq`. Everything goes through the gateway: it screens, stores and serves."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.ask import UrlOption
from cli.client import Gateway
from cli.console import ExitCode, note, out
from cli.faq import helps
from cli.faq.files import export_items, read_items, write_text
from cli.faq.items import ByOption, change, depends_on, fetch, item_path, new_item
from cli.faq.showing import show_imported, show_item, show_list, show_suggestions, show_surfaces, show_verdict
from cli.finding import find_gateway
from cli.settings import DataDirOption
from contracts.codes import FaqState, Locale
from contracts.v1.faq import FaqAudit, FaqImported, FaqList, FaqSuggestions, FaqVerdict, StoredFaqItem

app = typer.Typer(
    help="Vetted answers: add, approve, try, import, export; see what to vet next.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

JsonOption = typer.Option("--json", help="The whole reply as JSON.")
Id = Annotated[str, typer.Argument(metavar="ID", help="The item, as `faq list` shows it.")]
Url = Annotated[str | None, UrlOption]
DataDir = Annotated[Path | None, DataDirOption]
AsJson = Annotated[bool, JsonOption]
By = Annotated[str, ByOption]


@app.command("list", help=helps.LIST_HELP)
def list_items(
    state: Annotated[FaqState | None, typer.Option(help="Only items in this state.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only items of this owner.")] = None,
    text: Annotated[str | None, typer.Option(help="Only items with this text.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Page through the items."""
    filters = {"state": state.value if state else None, "owner": owner, "text": text}
    items = list(pages(_gateway(url, data_dir, may_be_demo=not as_json), {k: v for k, v in filters.items() if v}))
    if as_json:
        for item in items:
            out.print(item.model_dump_json(), markup=False)
    else:
        show_list(items)
    note(f"{len(items)} items", style="dim")


@app.command("show", help=helps.SHOW_HELP)
def show(item_id: Id, as_json: AsJson = False, url: Url = None, data_dir: DataDir = None) -> None:
    """Show one item."""
    gateway = _gateway(url, data_dir, may_be_demo=not as_json)
    item = fetch(gateway, item_id)
    history = FaqAudit.model_validate_json(gateway.call("GET", item_path(item_id, "audit")).text)
    if as_json:
        whole = {**item.model_dump(mode="json"), "history": history.model_dump(mode="json")["entries"]}
        out.print(json.dumps(whole, ensure_ascii=False, indent=2), markup=False)
    else:
        show_item(item, history)


@app.command("add", help=helps.ADD_HELP)
def add(
    item_id: Annotated[str, typer.Argument(metavar="ID", help="A name of its own: letters, digits, . _ -")],
    question: Annotated[str, typer.Option(help="The question, as people ask it.")],
    answer: Annotated[str, typer.Option(help="The answer, word for word.")],
    owner: Annotated[str, typer.Option(help="Who answers for it.")],
    alias: Annotated[list[str] | None, typer.Option(help="Another wording; repeatable.")] = None,
    source: Annotated[str | None, typer.Option(help="The document that it is from.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="Default: counted.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="The last day.")] = None,
    sensitivity: Annotated[str | None, typer.Option(help="PUBLIC, INTERNAL; any other is not served.")] = None,
    locale: Annotated[Locale | None, typer.Option(help="Only for askers of this language.")] = None,
    depends: Annotated[list[str] | None, typer.Option("--depends-on", metavar="METRIC[/ENTITY[/PERIOD]]")] = None,
    policy_number: Annotated[bool, typer.Option("--policy-number", help="Its digits are a rule.")] = False,
    approve: Annotated[bool, typer.Option("--approve", help="Serve it at once.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Change the item that has this id.")] = False,
    by: By = "",
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Store an item."""
    gateway = _gateway(url, data_dir)
    body = new_item(
        question=question,
        answer=answer,
        owner=owner,
        aliases=alias,
        source=source,
        version=version,
        valid_from=valid_from,
        valid_until=valid_until,
        sensitivity=sensitivity,
        locale=locale.value if locale else None,
        depends_on=[depends_on(one) for one in depends or ()],
        policy_number=policy_number or None,
        state=FaqState.APPROVED.value if approve else None,
    )
    etag = f'"{fetch(gateway, item_id).revision}"' if replace else None
    item = change(gateway, "PUT", item_path(item_id), by, body=body, etag=etag)
    _stored(item, as_json=as_json)


@app.command("approve", help=helps.APPROVE_HELP)
def approve_item(item_id: Id, by: By = "", as_json: AsJson = False, url: Url = None, data_dir: DataDir = None) -> None:
    """Approve an item."""
    _stored(
        change(_gateway(url, data_dir), "POST", item_path(item_id, "approve"), by),
        as_json=as_json,
    )


@app.command("disable", help=helps.DISABLE_HELP)
def disable_item(item_id: Id, by: By = "", as_json: AsJson = False, url: Url = None, data_dir: DataDir = None) -> None:
    """Disable an item."""
    _stored(
        change(_gateway(url, data_dir), "POST", item_path(item_id, "disable"), by),
        as_json=as_json,
    )


@app.command("delete", help=helps.DELETE_HELP)
def delete_item(item_id: Id, by: By = "", url: Url = None, data_dir: DataDir = None) -> None:
    """Delete an item."""
    query = {"by": by} if by else None
    _gateway(url, data_dir).call("DELETE", item_path(item_id), query=query)
    note(f"{item_id} is deleted")


@app.command("import", help=helps.IMPORT_HELP)
def import_items(
    file: Annotated[str, typer.Argument(metavar="FILE", help='A JSON file; "-" reads standard input.')],
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Import the good items although others are bad.")
    ] = False,
    by: By = "",
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Import a file."""
    body = read_items(file)
    query = {**({"by": by} if by else {}), **({"skip_bad": "true"} if skip_bad else {})}
    reply = _gateway(url, data_dir).call("POST", "/v1/faq", body=body, query=query)
    if as_json:
        out.print(reply.text, markup=False)
    else:
        show_imported(FaqImported.model_validate_json(reply.text))


@app.command("export", help=helps.EXPORT_HELP)
def export(
    state: Annotated[FaqState | None, typer.Option(help="Only items in this state.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: stdout.")] = None,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Export everything."""
    items = list(pages(_gateway(url, data_dir), {"state": state.value} if state else {}))
    text = json.dumps({"items": export_items(items)}, ensure_ascii=False, indent=2)
    if output is None:
        out.print(text, markup=False)
    else:
        write_text(output, text)
    note(f"{len(items)} items", style="dim")


@app.command("test", help=helps.TEST_HELP)
def try_question(
    question: Annotated[str, typer.Argument(help="The question.")],
    locale: Annotated[Locale | None, typer.Option(help="Language of the asker.")] = None,
    reference_date: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="Default: today.")] = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = None,
) -> None:
    """Try a question."""
    body: dict[str, object] = {"question": question}
    body |= {"locale": locale.value} if locale else {}
    body |= {"reference_date": reference_date} if reference_date else {}
    reply = _gateway(url, data_dir, may_be_demo=not as_json).call("POST", "/v1/faq/test", body=body)
    verdict = FaqVerdict.model_validate_json(reply.text)
    if as_json:
        out.print(verdict.model_dump_json(indent=2), markup=False)
    else:
        show_verdict(verdict)
    raise typer.Exit(ExitCode.OK if verdict.is_hit else ExitCode.REFUSED)


@app.command("suggest", help=helps.SUGGEST_HELP)
def suggest(as_json: AsJson = False, url: Url = None, data_dir: DataDir = None) -> None:
    """List what to vet next."""
    reply = _gateway(url, data_dir, may_be_demo=not as_json).call("GET", "/v1/faq-suggestions")
    found = FaqSuggestions.model_validate_json(reply.text)
    if as_json:
        out.print(found.model_dump_json(indent=2), markup=False)
    else:
        show_suggestions(found)


def _gateway(url: str | None, data_dir: Path | None, *, may_be_demo: bool = False) -> Gateway:
    """The stack; programs, and whoever changes something, never mean a demo that they did not name."""
    return Gateway(find_gateway(url, data_dir, may_be_demo=may_be_demo))


def pages(gateway: Gateway, filters: dict[str, str]) -> Iterator[StoredFaqItem]:
    """Every item, by id."""
    after: str | None = None
    while True:
        query = {**filters, "limit": "200", **({"after": after} if after else {})}
        page = FaqList.model_validate_json(gateway.call("GET", "/v1/faq", query=query).text)
        yield from page.items
        after = page.next_after
        if after is None:
            return


def _stored(item: StoredFaqItem, *, as_json: bool) -> None:
    if as_json:
        out.print(item.model_dump_json(indent=2), markup=False)
        return
    note(f"{item.id} is {item.state.value}, version {item.version}")
    show_surfaces(item)
