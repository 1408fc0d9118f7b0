"""The commands of `ragspine keys`. They change a file; a running gateway follows it within about a second."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from cli.console import CliError, ExitCode, command_name, note, out, print_table
from cli.keys.store import chosen_file, edited, find, period, read, state_of
from cli.settings import DataDirOption
from contracts.codes import Scope
from services.gateway.access.key_file import MAX_KEYS, IssuedKey, KeyRate, StoredKey, issue_key

app = typer.Typer(
    help="API keys of the HTTP door: add, list, revoke, rotate.", no_args_is_help=True, rich_markup_mode=None
)

FileOption = typer.Option(
    "--file",
    help="The keys file. Default: RAGSPINE_HTTP_KEYS_FILE, else that of the data directory.",
    show_default=False,
)
File = Annotated[Path | None, FileOption]
DataDir = Annotated[Path | None, DataDirOption]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout.")]
KeyId = Annotated[str, typer.Argument(metavar="ID", help="The id of the key, as `keys list` shows it.")]


@app.command("add")
def add(
    app_name: Annotated[str, typer.Option("--app", metavar="NAME", help="Whose key it is: a-z 0-9 _ -")],
    scope: Annotated[list[Scope], typer.Option("--scope", help="What it allows; repeatable.")],
    expires: Annotated[str | None, typer.Option(metavar="PERIOD", help="For example 90d. Default: never.")] = None,
    rate: Annotated[int | None, typer.Option(min=1, max=1_000_000, help="Asks a minute. Default: no bound.")] = None,
    burst: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Asks at once. Default: a tenth of --rate.")
    ] = None,
    as_json: AsJson = False,
    file: File = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, once. From the first key on every HTTP call needs one."""
    now, path = datetime.now(UTC), chosen_file(file, data_dir)
    if burst is not None and rate is None:
        raise CliError("--burst belongs to --rate", code=ExitCode.USAGE)
    bound = KeyRate(asks_per_minute=rate, burst=burst or max(1, rate // 10)) if rate else None
    until = now + period(expires, "--expires") if expires else None
    try:
        issued = issue_key(app_name, scope, now=now, expires=until, rate=bound)
    except ValidationError:
        raise CliError("--app: 1 to 32 of a-z 0-9 _ -, the first a letter or digit", code=ExitCode.USAGE) from None
    with edited(path) as keys:
        is_first = not keys
        _refuse_too_many(keys)
        keys.append(issued.stored)
    _show_new(issued, as_json=as_json)
    note(f"it is shown this once; its digest is in {path}", style="dim")
    if is_first:
        note("from now on every HTTP call needs a key; commands take it from RAGSPINE_API_KEY", style="yellow")


@app.command("list")
def list_keys(as_json: AsJson = False, file: File = None, data_dir: DataDir = None) -> None:
    """List the keys, without their secrets."""
    now, path = datetime.now(UTC), chosen_file(file, data_dir)
    keys = read(path).keys
    if as_json:
        out.print(json.dumps([_as_json(key, now) for key in keys], indent=2), markup=False)
        return
    rows = [
        (key.id, key.app, state_of(key, now), _day(key.created), _day(key.expires), _rate(key), " ".join(_scopes(key)))
        for key in keys
    ]
    print_table(out, ("id", "app", "state", "created", "expires", "asks/min", "scopes"), rows)
    note(f"{len(keys)} keys in {path}", style="dim")


@app.command("revoke")
def revoke(key_id: KeyId, file: File = None, data_dir: DataDir = None) -> None:
    """Revoke a key: it opens nothing any more, within about a second. It stays in the list."""
    now, path = datetime.now(UTC), chosen_file(file, data_dir)
    with edited(path) as keys:
        place = find(keys, key_id, path)
        if state_of(keys[place], now) != "revoked":
            keys[place] = keys[place].model_copy(update={"revoked": now})
    note(f"key {keys[place].id} of {keys[place].app} is revoked")


@app.command("rotate")
def rotate(
    key_id: KeyId,
    overlap: Annotated[str, typer.Option(metavar="PERIOD", help="How long the old one still works; 0: not at all.")] = (
        "24h"
    ),
    as_json: AsJson = False,
    file: File = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key like another one, and let that one end."""
    now, path = datetime.now(UTC), chosen_file(file, data_dir)
    end = now + period(overlap, "--overlap")
    with edited(path) as keys:
        place = find(keys, key_id, path)
        old = keys[place]
        if not old.is_valid(now):
            raise CliError(f"this key is {state_of(old, now)}", hint=f"make a new one: {command_name()} keys add")
        _refuse_too_many(keys)
        lasts = old.expires - old.created if old.expires else None
        issued = issue_key(old.app, sorted(old.scopes), now=now, expires=now + lasts if lasts else None, rate=old.rate)
        end = min(end, old.revoked or end, old.expires or end)
        keys[place] = old.model_copy(update={"revoked": end})
        keys.append(issued.stored)
    _show_new(issued, as_json=as_json)
    note(f"the old one, {old.id}, works until {end:%Y-%m-%d %H:%M} UTC", style="dim")


def _refuse_too_many(keys: list[StoredKey]) -> None:
    if len(keys) >= MAX_KEYS:
        raise CliError(f"there are {MAX_KEYS} keys already", hint="take revoked ones out of the file")


def _show_new(issued: IssuedKey, *, as_json: bool) -> None:
    """The key alone on stdout, so that a script can keep it."""
    if as_json:
        whole = {**_as_json(issued.stored, issued.stored.created), "key": issued.key}
        out.print(json.dumps(whole, indent=2), markup=False)
    else:
        out.print(issued.key, markup=False)


def _as_json(key: StoredKey, now: datetime) -> dict[str, object]:
    shown = key.model_dump(mode="json", exclude={"sha256"})
    return {**shown, "scopes": _scopes(key), "state": state_of(key, now)}


def _scopes(key: StoredKey) -> list[str]:
    return [scope.value for scope in Scope if scope in key.scopes]


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "-"


def _rate(key: StoredKey) -> str:
    return f"{key.rate.asks_per_minute} (+{key.rate.burst})" if key.rate else "-"
