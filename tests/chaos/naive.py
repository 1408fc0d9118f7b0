"""The control: a worker as the framework's documentation shows it, with nothing of ours around it.

A JetStream subscriber with its default acknowledgement, no ledger, no deadline, no retry. It reads a figure from
Postgres and publishes the answer. `python -m tests.chaos.naive NATS_URL POSTGRES_DSN` runs one.
"""

import asyncio
import sys

import asyncpg
from faststream import FastStream
from faststream.nats import JStream, NatsBroker, NatsMessage, PullSub

STREAM = "CONTROL"
ASKS = "control.asks"
ANSWERS = "control.answers"
DURABLE = "naive"
_WORK = "SELECT pg_sleep(0.5), 1320"  # as long as a turn of a quick model


def make_app(nats_url: str, dsn: str) -> FastStream:
    """The worker."""
    broker = NatsBroker(nats_url, logger=None)
    stream = JStream(STREAM, declare=False)

    @broker.subscriber(f"{ASKS}.*", stream=stream, durable=DURABLE, pull_sub=PullSub(batch_size=20))
    async def on_ask(body: str, message: NatsMessage) -> None:
        connection = await asyncpg.connect(dsn)
        try:
            row = await connection.fetchrow(_WORK)
        finally:
            await connection.close()
        subject = f"{ANSWERS}.{message.raw_message.subject.rpartition('.')[2]}"
        await broker.publish(f"{body}: {row[1]}", subject, stream=STREAM)

    return FastStream(broker, logger=None)


if __name__ == "__main__":
    asyncio.run(make_app(sys.argv[1], sys.argv[2]).run())
