# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its arguments open)
"""Asking a JetStream consumer for one message at a time.

nats-py's own `fetch` takes every message with a `Status` header for a word of the server, so that whoever may publish
could make it stumble again and again. Here only what has no way to be acknowledged is a word of the server.
"""

import json
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import ServiceUnavailableError

_NEXT: Final = "$JS.API.CONSUMER.MSG.NEXT"
_ACK: Final = "$JS.ACK."
_STATUS: Final = "Status"
_NOBODY_THERE: Final = "503"
_MARGIN_SECONDS: Final = 0.5
"""The server ends a request itself; only one that has gone is not heard of."""


class Puller:
    """One process's side of a consumer, on an inbox of its own below the prefix of the connection."""

    def __init__(self, client: Client, subscription: Subscription, subject: str) -> None:
        self._client = client
        self._subscription = subscription
        self._subject = subject

    @classmethod
    async def bind(cls, client: Client, stream: str, consumer: str) -> "Puller":
        """A puller for a consumer, whether it is there or not."""
        return cls(client, await client.subscribe(client.new_inbox()), f"{_NEXT}.{stream}.{consumer}")

    @property
    def has_more(self) -> bool:
        """Whether something has arrived that was not taken."""
        return self._subscription.pending_msgs > 0

    async def take(self, seconds: float) -> Msg | None:
        """The next message; None when there was none within that time. Raises when the consumer is not there."""
        if not self.has_more:
            wanted = {"batch": 1, "expires": int(seconds * 1_000_000_000)}
            await self._client.publish(self._subject, json.dumps(wanted).encode(), reply=self._inbox)
        try:
            message = await self._subscription.next_msg(timeout=seconds + _MARGIN_SECONDS)
        except NatsTimeoutError:
            return None
        if message.reply.startswith(_ACK):
            return message
        if (message.headers or {}).get(_STATUS) == _NOBODY_THERE:
            raise ServiceUnavailableError
        return None  # nothing there, or not any more

    async def leave(self) -> None:
        """Take nothing more."""
        await self._subscription.unsubscribe()

    @property
    def _inbox(self) -> str:
        return self._subscription.subject
