"""SIGTERM of any worker under load loses no request, as long as another of its kind runs; of the broker, no ask."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import nats
import pytest
from nats.aio.client import Client

from tests.e2e.asking import (
    ANSWER,
    DEGRADED,
    LATE,
    QUESTION,
    RIGHT,
    UNAVAILABLE,
    Seen,
    ask,
    frozen,
    kind_of,
    load_sample,
    wait_until_right,
)
from tests.e2e.rolling import BROKER, SCALE, WORKERS, roll
from tests.support.stacks import Stack, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

IN_FLIGHT = 8
REPLACED_SECONDS = 90.0
DEADLINE_SECONDS = 3.0


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


@pytest.mark.parametrize("worker", ["intent", "facts"])
def test_one_of_two_killed_costs_at_most_a_typed_failure(stack: Stack, worker: str) -> None:
    wait_until_right(stack.http_url)

    os.kill(stack.pid(f"{worker}-2"), signal.SIGKILL)
    kinds = [kind_of(seen, DEADLINE_SECONDS) for seen in _asked_together(stack, 24)]

    assert set(kinds) <= {RIGHT, UNAVAILABLE, DEGRADED, LATE}
    assert kinds.count(RIGHT) >= len(kinds) / 2  # those that the other one took
    wait_until_right(stack.http_url)


def test_one_of_two_frozen_leaves_the_others_asks_right(stack: Stack) -> None:
    wait_until_right(stack.http_url)

    with frozen(stack.pid("facts-2")):
        kinds = [kind_of(seen, DEADLINE_SECONDS) for seen in _asked_together(stack, 24)]

    assert set(kinds) <= {RIGHT, DEGRADED, LATE}
    assert RIGHT in kinds
    wait_until_right(stack.http_url)


def _asked_together(stack: Stack, count: int) -> list[Seen]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: ask(stack.http_url, seconds=DEADLINE_SECONDS), range(count)))
