"""`ragspine.v1.<service>.ping`: whether a service can do its work, asked by those who depend on it.

Any process of the queue group answers, by its own readiness. A ping carries no content and leaves no trace.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from faststream.nats import NatsBroker, NatsRouter

from contracts import subjects
from contracts.v1.base import InternalMessage
from runtime.bus import Bus
from runtime.deadline import Deadline
from runtime.health import Health
from runtime.serving import rpc
from runtime.telemetry import UNSAMPLED, Telemetry

PING_SECONDS: Final = 1.0


class Ping(InternalMessage):
    """Can you do your work?"""


class Pong(InternalMessage):
    """The readiness of the process that answers."""

    is_ready: bool


def add_ping(broker: NatsBroker, health: Health, service: str) -> None:
    """Answer pings for a service."""
    router = NatsRouter()

    @rpc(router, subjects.ping(service), queue=service)
    async def on_ping(_: Ping) -> Pong:
        """Say whether this process is ready."""
        return Pong(is_ready=(await health.report()).is_ready)

    broker.include_router(router)


def ping_check(bus: Bus, telemetry: Telemetry, service: str) -> Callable[[], Awaitable[str | None]]:
    """A readiness check: None when the service answers that it is ready, else a reason code; raises `AskError`."""

    async def check() -> str | None:
        with telemetry.serving(service, UNSAMPLED):
            pong = await bus.request(subjects.ping(service), Ping(), Pong, deadline=Deadline.after(PING_SECONDS))
        return None if pong.is_ready else "degraded"

    return check
