"""Restarting every part of a stack under load, one after the other: no ask may fail. `make rolling` is the full form.

The load is that of apps: the client of the contracts over both doors, with its one retry per ask and its budget. The
gateway that holds the stack's HTTP port is alone there, so its own restarts are seen by the asks on the bus only.
"""

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from contracts.client import ClientError, HttpClient, NatsClient
from contracts.client.asking import Client
from contracts.v1 import AskRequest
from tests.e2e.asking import ANSWER, QUESTION, load_sample
from tests.support.stacks import Stack, running_stack

WORKERS = ("intent", "facts", "narrative", "orchestrator", "gateway")
BROKER = "nats"
SCALE = tuple(f"{worker}=2" for worker in WORKERS)
IN_FLIGHT = 4
"""Asks on their way at any moment, over each door: fewer than the retries that a client has saved at its start."""
DEADLINE_SECONDS = 30.0
BACK_SECONDS = 90.0
BROKER_PAUSE_SECONDS = 20.0
"""Whoever keeps it running takes restarts in quick succession for crashes, and waits longer before each."""


@dataclass
class Asked:
    """What became of the asks of a load."""

    answered: int = 0
    failed: list[str] = field(default_factory=list[str])
    """What came instead of the right answer."""


@asynccontextmanager
async def asking(stack: Stack, *, over_http: bool = True) -> AsyncGenerator[Asked]:
    """Keep asks in flight."""
    asked, is_over = Asked(), asyncio.Event()

    async def go_on(client: Client) -> None:
        request = AskRequest.model_validate({"question": QUESTION, "locale": "zh", "reference_date": "2025-05-20"})
        while not is_over.is_set():
            try:
                answer = (await client.ask(request, deadline_seconds=DEADLINE_SECONDS)).answer
            except ClientError as error:
                answer = str(error)
            if answer == ANSWER:
                asked.answered += 1
            else:
                asked.failed.append(f"{type(client).__name__}: {answer}")

    async with NatsClient(stack.state["nats_url"]) as bus, HttpClient(stack.http_url) as http:
        clients: list[Client] = [bus, http] if over_http else [bus]
        tasks = [asyncio.create_task(go_on(client)) for client in clients for _ in range(IN_FLIGHT)]
        try:
            yield asked
        finally:
            is_over.set()
            await asyncio.gather(*tasks)


async def restart(stack: Stack, name: str, asked: Asked) -> None:
    """Restart one process, and wait until a new one serves in its place and asks are answered."""
    old = stack.pid(name)
    os.kill(old, signal.SIGTERM)
    async with asyncio.timeout(BACK_SECONDS):
        while not await asyncio.to_thread(_is_replaced, stack, name, old):
            await asyncio.sleep(0.2)
        before = asked.answered
        while asked.answered == before:
            await asyncio.sleep(0.05)


def _is_replaced(stack: Stack, name: str, old: int) -> bool:
    part = stack.state["processes"][name]
    return part["pid"] not in (None, old) and bool(part["is_ready"])


async def roll(stack: Stack, names: Sequence[str], times: int) -> Asked:
    """Restart each of some processes so many times under load."""
    over_http = "gateway" not in names
    async with asking(stack, over_http=over_http) as asked:
        for number in range(times):
            if BROKER in names and number:
                await asyncio.sleep(BROKER_PAUSE_SECONDS)
            for name in names:
                await restart(stack, name, asked)
    return asked


def main() -> int:
    """Restart everything as often as the command line says; exit code 1 when an ask failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.rolling", description=__doc__)
    parser.add_argument("--services", type=int, default=10, help="how often each process of each service restarts")
    parser.add_argument("--brokers", type=int, default=5, help="how often the broker restarts")
    options = parser.parse_args()
    failed = 0
    with running_stack(scale=SCALE) as stack:
        load_sample(stack.http_url)
        plan = [((worker, f"{worker}-2"), options.services) for worker in WORKERS] + [((BROKER,), options.brokers)]
        for names, times in plan:
            begin = time.monotonic()
            asked = asyncio.run(roll(stack, names, times))
            failed += len(asked.failed)
            sys.stdout.write(
                f"{' '.join(names):<30} {times:>3} times: {asked.answered:>6,} answered, {len(asked.failed)} failed, "
                f"{time.monotonic() - begin:.0f} s {asked.failed[:3] or ''}\n"
            )
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
