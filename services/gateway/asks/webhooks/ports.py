"""What the delivery of webhooks needs: where those to send are kept, and something that sends one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.gateway.asks.webhooks.targets import Target


@dataclass(frozen=True, slots=True)
class Due:
    """A webhook whose time has come. Whoever was given it has a while to send it before somebody else is."""

    app: str
    ask_id: str
    url: str
    attempt: int
    """1 for the first; counted when it was given out, so that a crash counts too."""
    body: bytes
    """What `GET /v1/asks/{id}` says."""


class WebhookLedger(Protocol):
    """Keeps which asks are still to be told of. Raises `UnavailableError`."""

    async def claim(self, limit: int, *, lease_seconds: float, without: Sequence[str]) -> Sequence[Due]:
        """At most `limit` webhooks of other apps than `without`, the longest due first."""
        ...

    async def delivered(self, due: Due) -> None:
        """The receiver has taken it."""
        ...

    async def postpone(self, due: Due, seconds: float, code: str) -> None:
        """It failed with a code; again after that time."""
        ...

    async def give_up(self, due: Due, code: str) -> None:
        """It failed with a code, for good."""
        ...


@dataclass(frozen=True, slots=True)
class Taken:
    """The receiver answered with a status of success."""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """It did not, or could not be reached."""

    code: str
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Unwanted:
    """It said that nobody wants to be told any more."""

    code: str


Outcome = Taken | NotTaken | Unwanted


class Sender(Protocol):
    """Sends webhooks."""

    async def send(self, target: Target, headers: dict[str, str], body: bytes) -> Outcome:
        """One attempt, over in bounded time; never raises for what a receiver or the network does."""
        ...
