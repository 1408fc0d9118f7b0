"""A nats-server that runs with the table, and somebody beside it who hears and says everything.

The observer exists in tests only: a user without any limit in each account. What a user may do is judged by what the
observer hears or what reaches the user, never by waiting for an error.
"""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import nats
from nats.aio.client import Client

from cli.bus.configuration import Credential, Password, PublicKey, Tls, accounts_text
from runtime.bus_users import PRODUCT_ACCOUNT, SYSTEM_ACCOUNT, USERS, account
from tests.support.servers import Nats, running_nats

APPS = ("app1", "app2")
OBSERVER = "observer"
PASSWORD = "a-password-of-the-tests"


def configuration(*, tls: Tls | None = None, keys: dict[str, str] | None = None) -> str:
    """The table's accounts, with an observer in each; `keys` are users and apps that sign with an NKey."""
    shown: dict[str, Credential] = {name: Password(PASSWORD) for name in (*(user.name for user in USERS), *APPS)}
    shown |= {name: PublicKey(key) for name, key in (keys or {}).items()}
    text = accounts_text(shown, {app: shown[app] for app in APPS}, tls)
    for name in (PRODUCT_ACCOUNT, SYSTEM_ACCOUNT, *(f'"{account(app)}"' for app in APPS)):
        head, opened, rest = text.partition(f"  {name} {{")
        before, users_of, after = rest.partition("    users: [\n")
        observer = f'      {{ user: "{observer_of(name)}", password: "{PASSWORD}" }}\n'
        text = head + opened + before + users_of + observer + after
    return text


def observer_of(name: str) -> str:
    """The observer's name in an account."""
    return f"{OBSERVER}-{name.strip(chr(34))}"


@contextmanager
def guarded_nats(folder: Path, text: str | None = None) -> Generator[Nats]:
    """A server with these accounts (the table's, unless others are given), which syncs."""
    path = folder / "accounts.conf"
    path.write_text((text or configuration()) + "jetstream { sync_interval: always }\n")
    with running_nats(arguments=("-c", str(path))) as server:
        yield server


@asynccontextmanager
async def connection(server: Nats, user: str, inbox: str | None = None) -> AsyncGenerator[Client]:
    """Connected as a user; violations are what is expected here, so nothing is made of them."""
    client = await nats.connect(
        server.url,
        user=user,
        password=PASSWORD,
        inbox_prefix=inbox or f"_INBOX_{user}",
        allow_reconnect=False,
        error_cb=_ignore,
    )
    try:
        yield client
    finally:
        await client.close()


async def all_is_delivered(*clients: Client) -> None:
    """Return when what the first of them sent has reached the callbacks of the others: pings pass after messages."""
    for client in (*clients, *clients):
        await client.flush(timeout=10)


async def _ignore(_: Exception) -> None:
    """A violation."""
