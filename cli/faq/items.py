"""One item: where it is, how it is read and changed, and what the options of `faq add` make of it."""

import getpass
from typing import Final
from urllib.parse import quote

import typer

from cli.client import Gateway
from cli.console import CliError, ExitCode
from contracts.v1.faq import StoredFaqItem

ByOption = typer.Option("--by", help="Who does this; it stands in the history. Default: the user of this machine.")

_PARTS: Final = ("metric", "entity", "period")


def item_path(item_id: str, *more: str) -> str:
    """The path of an item."""
    return "/".join(("/v1/faq", quote(item_id, safe=""), *more))


def fetch(gateway: Gateway, item_id: str) -> StoredFaqItem:
    """The item as stored; raises `CliError`."""
    return StoredFaqItem.model_validate_json(gateway.call("GET", item_path(item_id)).text)


def change(
    gateway: Gateway, method: str, path: str, by: str, *, body: object | None = None, etag: str | None = None
) -> StoredFaqItem:
    """Change an item; with `etag` only if it is still what was read. Raises `CliError`."""
    headers = {"If-Match": etag} if etag else None
    reply = gateway.call(method, path, body=body, query={"by": by or whoever_calls()}, headers=headers)
    return StoredFaqItem.model_validate_json(reply.text)


def whoever_calls() -> str:
    """The user of this machine, as far as it has a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "cli"


def new_item(**values: object | None) -> dict[str, object]:
    """The body of an item: what was given."""
    return {name: value for name, value in values.items() if value not in (None, [], ())}


def depends_on(text: str) -> dict[str, str]:
    """`METRIC[/ENTITY[/PERIOD]]` as a dependency; an empty part means all. Raises `CliError`."""
    parts = text.split("/")
    if len(parts) > len(_PARTS) or not parts[0]:
        raise CliError(
            f"--depends-on {text}: not METRIC[/ENTITY[/PERIOD]]",
            hint="for example --depends-on REVENUE/ACME_CN/2024, or REVENUE//2024 for all entities",
            code=ExitCode.USAGE,
        )
    return {name: part for name, part in zip(_PARTS, parts, strict=False) if part}
