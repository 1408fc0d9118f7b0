"""Bringing changed accounts to the server: the file is made again, the server told, the app's consumer made."""

import asyncio

from cli.bus.configuration import Password
from cli.bus.finding import Found
from cli.bus.home import BusHome
from runtime.bus_apps import provide_answers, reload
from runtime.bus_users import SYSTEM_USER
from runtime.errors import UnavailableError

_MIGRATE = "migrate"


def apply(found: Found, app: str | None) -> list[str]:
    """Let the server know of the registry; `app` is the one that was added or changed.

    Returns what the operator still has to do or know.
    """
    if not found.has_secrets:
        return ["the stack does not run: the change takes effect when it starts"]
    found.home.write_accounts()
    notes = _reload(found)
    if not notes and app is not None and found.address is not None:
        notes = _provide(found.home, found.address, app)
    return notes


def _reload(found: Found) -> list[str]:
    by_hand = "let the server read its configuration again, twice: kill -HUP, or docker compose kill -s HUP nats"
    password = _password(found.home, SYSTEM_USER.name)
    if found.address is None or password is None:
        return [by_hand]
    try:
        asyncio.run(reload(found.address, password))
    except UnavailableError as error:
        return [f"{error.text} When it runs, {by_hand}"]
    return []


def _provide(home: BusHome, address: str, app: str) -> list[str]:
    password = _password(home, _MIGRATE)
    if password is None:
        return [f"the consumer of its answers is not made: {_MIGRATE} shows an NKey, whose seed is not here"]
    try:
        is_made = asyncio.run(provide_answers(address, password, app))
    except UnavailableError as error:
        return [f"{error.text} Try again with `bus accounts rotate {app}`, or read answers by their subject."]
    return [] if is_made else ["this bus has no durable asks: no consumer of answers was made"]


def _password(home: BusHome, user: str) -> str | None:
    credential = home.credentials()[user]
    return credential.text if isinstance(credential, Password) else None
