"""The commands of `ragspine bus`: accounts of apps, and who may do what."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from cli.bus.applying import apply
from cli.bus.finding import Found, find_home
from cli.bus.home import AppEntry, new_secret, write_private
from cli.bus.keys import is_public_key, new_key
from cli.console import CliError, ExitCode, note, out, print_table
from cli.settings import DataDirOption
from contracts import subjects
from runtime.bus_users import USERS, account, is_app_name

_ONCE: Final = "the password is not shown again; another one: bus accounts rotate"
_SEED_STAYS: Final = "the app signs with the seed of this key, which stays with the app"

app = typer.Typer(
    help="The message bus: accounts of apps, and who may do what.", no_args_is_help=True, rich_markup_mode=None
)
accounts = typer.Typer(
    help="Accounts of apps: each app has its own, and reaches its own asks and answers only.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(accounts, name="accounts")

Name = Annotated[
    str, typer.Argument(metavar="APP", help="Small letters, digits, - and _; it stands in the subjects of its asks.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
NKey = Annotated[
    str | None,
    typer.Option(
        "--nkey", metavar="PUBLIC_KEY", help="The app keeps the seed of this key itself; no password is made."
    ),
]
DataDir = Annotated[Path | None, DataDirOption]


@accounts.command("add", help="Make an account for an app and print its credentials, once.")
def add(name: Name, nkey: NKey = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Make an account; its credentials are shown now and never again."""
    found = find_home(data_dir)
    known = found.home.apps()
    _check_new(name, known)
    _keep(found, {**known, name: _entry(nkey)}, name, as_json=as_json)


@accounts.command("rotate", help="Give an app new credentials; the old ones end at once.")
def rotate(name: Name, nkey: NKey = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Replace the credentials of an app."""
    found = find_home(data_dir)
    known = found.home.apps()
    _check_known(name, known)
    _keep(found, {**known, name: _entry(nkey)}, name, as_json=as_json)


@accounts.command("remove", help="Take the account of an app away; its connections end, stored answers stay.")
def remove(name: Name, data_dir: DataDir = None) -> None:
    """Take an account away."""
    found = find_home(data_dir)
    known = found.home.apps()
    _check_known(name, known)
    found.home.keep_apps({app: entry for app, entry in known.items() if app != name})
    _tell(apply(found, None))
    note(f"{name} has no account any more")


@accounts.command("list", help="Show the apps that have an account.")
def list_accounts(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Show the accounts, without secrets."""
    known = find_home(data_dir).home.apps()
    if as_json:
        out.print(json.dumps({name: _shown(entry) for name, entry in known.items()}, indent=2), markup=False)
        return
    print_table(
        out, ("app", "shows", "since"), [(name, _shown(entry)["shows"], entry.created) for name, entry in known.items()]
    )


@app.command("nkey", help="Make a key: the seed goes into a new file, the public half to stdout.")
def make_key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the seed is kept; must not exist.")],
) -> None:
    """Make an NKey for a worker or an app."""
    if file.exists():
        raise CliError(f"{file} is there already", hint="name a new file", code=ExitCode.USAGE)
    seed, public = new_key()
    write_private(file, seed + "\n")
    out.print(public, markup=False)


@app.command("check", help="Show who may do what, and whether the server's accounts say so.")
def check(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Show the table; ends with 1 when the server's file is not what the table says."""
    found = find_home(data_dir)
    is_current = _is_current(found)
    if as_json:
        rights = {user.name: {"publish": user.publish, "subscribe": user.subscribe} for user in USERS}
        out.print(json.dumps({"current": is_current, "users": rights, "apps": sorted(found.home.apps())}), markup=False)
    else:
        for user in USERS:
            out.print(f"{user.name}: {user.what}", markup=False)
            for verb, listed in (("publish", user.publish), ("hear", user.subscribe)):
                for subject in listed:
                    out.print(f"  {verb:<8}{subject}", markup=False)
    if is_current is None:
        note("there are no accounts to compare with: the stack does not run")
    elif is_current:
        note(f"{found.home.accounts} is what the table says")
    else:
        note(f"{found.home.accounts} is not what the table says: it was changed by hand, or by another release")
        raise typer.Exit(ExitCode.FAILED)


def _is_current(found: Found) -> bool | None:
    if not found.home.accounts.exists():
        return None
    return found.home.accounts.read_text(encoding="utf-8") == found.home.accounts_text()


def _check_new(name: str, known: Mapping[str, AppEntry]) -> None:
    if name == subjects.LOCAL_APP:
        raise CliError(f"{name} is the app of asks without a key", hint="choose another name", code=ExitCode.USAGE)
    if not is_app_name(name):
        raise CliError(
            f"{name!r} cannot be the name of an app",
            hint="up to 32 small letters, digits, - and _, a letter or digit first, and no user of the product",
            code=ExitCode.USAGE,
        )
    if name in known:
        raise CliError(
            f"{name} has an account", hint=f"new credentials: bus accounts rotate {name}", code=ExitCode.USAGE
        )


def _check_known(name: str, known: Mapping[str, AppEntry]) -> None:
    if name not in known:
        raise CliError(f"{name} has no account", hint="see: bus accounts list", code=ExitCode.USAGE)


def _entry(nkey: str | None) -> AppEntry:
    created = datetime.now(UTC).date().isoformat()
    if nkey is None:
        return AppEntry(password=new_secret(), created=created)
    if not is_public_key(nkey):
        raise CliError(
            "--nkey takes the public key of a user: U and 55 more capital letters and digits", code=ExitCode.USAGE
        )
    return AppEntry(nkey=nkey, created=created)


def _keep(found: Found, apps: Mapping[str, AppEntry], name: str, *, as_json: bool) -> None:
    found.home.keep_apps(apps)
    notes = apply(found, name)
    credentials = _credentials(found, name, apps[name])
    if as_json:
        out.print(json.dumps(credentials, indent=2), markup=False)
    else:
        for key, value in credentials.items():
            out.print(f"{key:<9} {value}", markup=False)
        note(_ONCE if "password" in credentials else _SEED_STAYS, style="dim")
    _tell(notes)


def _credentials(found: Found, name: str, entry: AppEntry) -> dict[str, str]:
    shown = {"app": name, "account": account(name)}
    if found.address is not None:
        shown["url"] = found.address
    if entry.password is not None:
        shown |= {"user": name, "password": entry.password}
    else:
        shown["nkey"] = str(entry.nkey)
    return shown


def _shown(entry: AppEntry) -> dict[str, str]:
    return {"shows": "password" if entry.nkey is None else "nkey", "created": entry.created}


def _tell(notes: Iterable[str]) -> None:
    for line in notes:
        note(line, style="yellow")
