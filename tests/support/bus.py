"""A stack's bus with every right that its table gives away: each request goes out as somebody who may send it."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from runtime.bus_users import PRODUCT_USERS, callers
from tests.support.stacks import Stack


class Everybody:
    """All users at once, and the app `local`."""

    def __init__(self, app: Client, users: dict[str, Client]) -> None:
        self._app = app
        self._users = users

    async def request(self, subject: str, body: bytes, *, timeout: float = 0.5, headers: Any = None) -> Msg:  # noqa: ASYNC109 -- as nats-py has it
        """Ask as the first user who may, and as the app where no user may."""
        allowed = sorted(callers(subject))
        client = self._users[allowed[0]] if allowed else self._app
        return await client.request(subject, body, timeout=timeout, headers=headers)


@asynccontextmanager
async def everybody(stack: Stack) -> AsyncGenerator[Everybody]:
    """Connect as everybody."""
    async with AsyncExitStack() as open_clients:
        users: dict[str, Client] = {}
        for user in PRODUCT_USERS:
            users[user.name] = await connect_as(stack, user.name)
            open_clients.push_async_callback(users[user.name].close)
        app = await nats.connect(stack.state["nats_url"])
        open_clients.push_async_callback(app.close)
        yield Everybody(app, users)


async def connect_as(stack: Stack, user: str) -> Client:
    """A connection as one user of the product."""
    return await nats.connect(stack.bus_url(user), inbox_prefix=f"_INBOX_{user}")
