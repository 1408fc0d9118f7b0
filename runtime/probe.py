"""The loopback request: a process asks itself over the bus, by the same way its callers come.

A connection can be up while the process hears nothing (a wrong permission, a subscription that was not renewed); only
an answered request shows that it serves.
"""

import secrets
from typing import Final

from faststream.exceptions import IncorrectState
from faststream.nats import NatsBroker, NatsRouter
from nats.errors import Error

from contracts import subjects
from contracts.v1.base import InternalMessage
from runtime.health import Health
from runtime.logging import describe, get_log
from runtime.serving import rpc
from runtime.telemetry import UNSAMPLED

PROBE_TIMEOUT_SECONDS: Final = 1.0

_log = get_log(__name__)


class Probe(InternalMessage):
    """Echoed as it is."""

    nonce: str


def add_probe(broker: NatsBroker, health: Health, service: str, instance: str) -> None:
    """Serve the loopback subject of this process and make its answer a readiness check named `bus`."""
    subject = subjects.probe(service, instance)
    router = NatsRouter()

    @rpc(router, subject, queue=service, limit=1)
    async def on_probe(message: Probe) -> Probe:
        """Answer the process's own question whether it hears the bus."""
        return message

    broker.include_router(router)

    async def hears_itself() -> str | None:
        nonce = secrets.token_hex(8)
        headers = {subjects.HEADER_TRACE: UNSAMPLED}
        try:
            client = broker.connection
            if not client.is_connected:
                return "disconnected"
            reply = await client.request(
                subject, Probe(nonce=nonce).model_dump_json().encode(), timeout=PROBE_TIMEOUT_SECONDS, headers=headers
            )
        except IncorrectState:
            return "disconnected"
        except (Error, OSError) as error:
            _log.warning("probe_failed", **describe(error))
            return "no_loopback"
        return None if nonce.encode() in reply.data else "no_loopback"

    health.add_check("bus", hears_itself)
