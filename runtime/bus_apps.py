# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its keyword arguments open)
"""Changes of a running bus: new accounts come into force, and an app gets the consumer of its own answers.

Used by the command line, each time as the user of the table whose work it is.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import nats
from nats.aio.client import Client
from nats.errors import Error
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from contracts import subjects
from runtime.bus_login import tls_options
from runtime.errors import UnavailableError
from runtime.settings import ConfigurationError, NatsCredentials, load_settings

MAX_ACK_PENDING: Final = 1_000
"""Answers that an app has taken and not yet acknowledged."""
_CONNECT_SECONDS: Final = 2
_RELOAD_SECONDS: Final = 10
_ROUNDS: Final = 2
_MIGRATE: Final = "migrate"
_SYSTEM: Final = "sys"


def answers_consumer(app: str) -> ConsumerConfig:
    """An app's own view of the stream of answers: each one until it is acknowledged."""
    return ConsumerConfig(
        name=app,
        durable_name=app,
        filter_subject=subjects.answers(app, "*"),
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        max_ack_pending=MAX_ACK_PENDING,
    )


async def provide_answers(address: str, password: str, app: str) -> bool:
    """Make the consumer of an app, as the user `migrate`; False where this bus has no durable asks.

    Raises `UnavailableError` when the bus cannot be reached or refuses.
    """
    try:
        async with _connected(address, _MIGRATE, password, f"_INBOX_{_MIGRATE}") as client:
            await client.jetstream().add_consumer(subjects.ANSWER_STREAM, answers_consumer(app))
    except NotFoundError:
        return False
    except (Error, OSError, TimeoutError, ConfigurationError) as error:
        raise UnavailableError("The consumer of its answers could not be made.") from error
    return True


async def reload(address: str, password: str) -> None:
    """Let the server read its configuration again, as the user of the system account; nobody is disconnected by it.

    It takes two rounds: the first makes a new account, and only the second finds for its imports who listens already.
    Raises `UnavailableError` when the server cannot be reached or refuses its configuration.
    """
    try:
        async with _connected(address, _SYSTEM, password, f"_INBOX_{_SYSTEM}") as client:
            pong = await client.request("$SYS.REQ.SERVER.PING", b"", timeout=_CONNECT_SECONDS)
            server = json.loads(pong.data)["server"]["id"]
            for _ in range(_ROUNDS):
                reply = await client.request(f"$SYS.REQ.SERVER.{server}.RELOAD", b"", timeout=_RELOAD_SECONDS)
                if "error" in json.loads(reply.data):
                    raise UnavailableError("The server refuses its new configuration; its log says why.")
    except (Error, OSError, TimeoutError, ConfigurationError, ValueError, KeyError) as error:
        raise UnavailableError("The server could not be told of the change.") from error


@asynccontextmanager
async def _connected(address: str, user: str, password: str, inbox: str) -> AsyncGenerator[Client]:
    async with asyncio.timeout(_CONNECT_SECONDS):
        client = await nats.connect(
            address,
            user=user,
            password=password,
            inbox_prefix=inbox,
            name="ragspine-bus",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=_CONNECT_SECONDS,
            error_cb=_ignore,
            **tls_options(load_settings(NatsCredentials)),
        )
    try:
        yield client
    finally:
        await client.close()


async def _ignore(_: Exception) -> None:
    """The error also ends the call that met it."""
