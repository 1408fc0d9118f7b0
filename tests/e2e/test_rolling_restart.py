"""SIGTERM of any worker under load loses no request, as long as another of its kind runs; of the broker, no ask."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager

import nats
import pytest
from nats.aio.client import Client

from tests.e2e.asking import ANSWER, QUESTION, load_sample
from tests.e2e.rolling import BROKER, SCALE, WORKERS, roll
from tests.support.stacks import Stack, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

IN_FLIGHT = 8
REPLACED_SECONDS = 90.0


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    with running_stack(scale=SCALE) as running:
        load_sample(running.http_url)
        yield running


@asynccontextmanager
async def _asking(bus: Client) -> AsyncGenerator[list[str]]:
    """Keep questions in flight; yields the list of what every finished one answered."""
    answers: list[str] = []
    is_over = asyncio.Event()
    request = json.dumps({"question": QUESTION, "locale": "zh", "reference_date": "2025-05-20"}).encode()

    async def ask_on_and_on() -> None:
        while not is_over.is_set():
            reply = await bus.request("ragspine.v1.ask.local", request, timeout=15)
            answers.append(json.loads(reply.data).get("answer", reply.data.decode()))

    tasks = [asyncio.create_task(ask_on_and_on()) for _ in range(IN_FLIGHT)]
    try:
        yield answers
    finally:
        is_over.set()
        await asyncio.gather(*tasks)


async def _replaced(stack: Stack, name: str, old: int) -> None:
    """Wait until a new process serves in the place of the old one."""
    async with asyncio.timeout(REPLACED_SECONDS):
        while True:
            state = await asyncio.to_thread(lambda: stack.state)
            part = state["processes"][name]
            if part["pid"] not in (None, old) and part["is_ready"]:
                return
            await asyncio.sleep(0.2)


@pytest.mark.parametrize("worker", WORKERS)
async def test_no_request_is_lost(stack: Stack, worker: str) -> None:
    bus = await nats.connect(stack.state["nats_url"])
    try:
        async with _asking(bus) as answers:
            for name in (worker, f"{worker}-2"):
                old = stack.pid(name)
                before = len(answers)
                os.kill(old, signal.SIGTERM)
                await _replaced(stack, name, old)
                assert len(answers) > before, "nothing was answered meanwhile"
    finally:
        await bus.close()

    wrong = [answer for answer in answers if answer != ANSWER]
    assert wrong == [], f"{len(wrong)} of {len(answers)}: {wrong[:3]}"


async def test_a_restart_of_the_broker_fails_no_ask_of_a_client(stack: Stack) -> None:
    asked = await roll(stack, (BROKER,), 1)

    assert asked.failed == []
    assert asked.answered > 0
