# pyright: reportUnknownMemberType=false
# (nats-py leaves the types of its keyword arguments open)
"""The two streams of durable asks and the one consumer, as the deployment job provides them.

One message per subject: the subject is the identity, so a second message under it is refused while the first is there.
An ask leaves its stream when it is acknowledged, an answer when it was kept for long enough.
"""

from typing import Final

from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import NotFoundError

from contracts import subjects

ASKS_BYTES: Final = 256 * 1024 * 1024
ANSWERS_BYTES: Final = 512 * 1024 * 1024
"""Full streams refuse, typed, instead of dropping what was accepted."""
BYTES_OF_ONE_APP: Final = ASKS_BYTES // 4
"""What one app may have open where that is counted, so that it leaves the others some room."""
ASK_BYTES: Final = (128 + 4) * 1024
"""A message: the longest ask that is read over HTTP, and its headers."""
MAX_ACK_PENDING: Final = 20_000
"""Asks that are being worked on or wait for a part that is away; beyond it the rest stays in the queue."""
DUPLICATE_WINDOW_SECONDS: Final = 120.0
"""Nobody sends message ids here; the server wants a window all the same."""


def ask_stream(replicas: int) -> StreamConfig:
    """What the stream of asks is to be."""
    return StreamConfig(
        name=subjects.ASK_STREAM,
        subjects=[subjects.ASKS_ANY],
        storage=StorageType.FILE,
        retention=RetentionPolicy.WORK_QUEUE,
        discard=DiscardPolicy.NEW,
        max_msgs_per_subject=1,
        discard_new_per_subject=True,
        max_bytes=ASKS_BYTES,
        max_msg_size=ASK_BYTES,
        duplicate_window=DUPLICATE_WINDOW_SECONDS,
        num_replicas=replicas,
    )


def answer_stream(replicas: int, kept_seconds: float) -> StreamConfig:
    """What the stream of answers is to be."""
    return StreamConfig(
        name=subjects.ANSWER_STREAM,
        subjects=[subjects.ANSWERS_ANY],
        storage=StorageType.FILE,
        retention=RetentionPolicy.LIMITS,
        discard=DiscardPolicy.NEW,
        max_msgs_per_subject=1,
        discard_new_per_subject=True,
        max_bytes=ANSWERS_BYTES,
        max_age=kept_seconds,
        duplicate_window=min(DUPLICATE_WINDOW_SECONDS, kept_seconds),
        allow_direct=True,
        num_replicas=replicas,
    )


def ask_consumer(ack_wait_seconds: float) -> ConsumerConfig:
    """Who takes asks: all gateways together, each ask by one of them at a time, for as often as it takes."""
    return ConsumerConfig(
        durable_name=subjects.ASK_CONSUMER,
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ack_wait_seconds,
        max_deliver=-1,
        max_ack_pending=MAX_ACK_PENDING,
    )


async def provide_ask_streams(
    stream: JetStreamContext, *, replicas: int, kept_seconds: float, ack_wait_seconds: float
) -> None:
    """Create both streams and the consumer, or change them to what they should be; raises nats-py's errors."""
    for wanted in (ask_stream(replicas), answer_stream(replicas, kept_seconds)):
        await create_or_change(stream, wanted)
    await stream.add_consumer(subjects.ASK_STREAM, ask_consumer(ack_wait_seconds))


async def create_or_change(stream: JetStreamContext, wanted: StreamConfig) -> None:
    """Create a stream, or change it to what it should be."""
    try:
        await stream.stream_info(str(wanted.name))
    except NotFoundError:
        await stream.add_stream(wanted)
    else:
        await stream.update_stream(wanted)
