"""`ragspine.v1.<service>.ping`: whether a service can do its work, asked by those who depend on it.

Any process of the queue group answers, by its own readiness. A ping carries no content and leaves no trace.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from faststream.nats import NatsBroker, NatsRouter

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.base import InternalMessage
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.health import PROFILE_DIGEST, Health
from runtime.serving import rpc
from runtime.telemetry import UNSAMPLED, Telemetry

PING_SECONDS: Final = 1.0


class Ping(InternalMessage):
    """Can you do your work?"""


class Pong(InternalMessage):
    """The readiness of the process that answers."""

    is_ready: bool
    profile_digest: str | None = None
    """The company profile in force there; None where a process says nothing of it."""


def add_ping(broker: NatsBroker, health: Health, service: str) -> None:
    """Answer pings for a service."""
    router = NatsRouter()

    @rpc(router, subjects.ping(service), queue=service)
    async def on_ping(_: Ping) -> Pong:
        """Say whether this process is ready."""
        return Pong(is_ready=(await health.report()).is_ready, profile_digest=health.detail(PROFILE_DIGEST))

    broker.include_router(router)


def ping_check(
    bus: Bus, telemetry: Telemetry, service: str, *, profile_digest: str | None = None
) -> Callable[[], Awaitable[str | None]]:
    """A readiness check: None when the service answers that it is ready, else a reason code; raises `AskError`.

    With a `profile_digest`, a service that runs with another company profile is `profile_mismatch`: it would refuse
    every ask.
    """

    async def check() -> str | None:
        with telemetry.serving(service, UNSAMPLED):
            pong = await bus.request(subjects.ping(service), Ping(), Pong, deadline=Deadline.after(PING_SECONDS))
        if profile_digest and pong.profile_digest not in (None, profile_digest):
            return ErrorCode.PROFILE_MISMATCH.value
        return None if pong.is_ready else "degraded"

    return check
