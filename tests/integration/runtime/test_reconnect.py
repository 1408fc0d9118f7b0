"""A lost server costs a typed error at once, and nothing is needed from anybody when it comes back."""

import asyncio
import time
from pathlib import Path

import pytest

from runtime.bus import RETURN_SECONDS, Bus
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from tests.integration.runtime.clients import connected
from tests.integration.runtime.test_concurrency import Crowd
from tests.integration.runtime.worker_process import Said, Say, running_worker
from tests.support.servers import running_nats
from tests.unit.runtime import messages

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


async def answers(bus: Bus) -> bool:
    try:
        await bus.request("test.echo", Say(text="a"), Said, deadline=Deadline.after(1))
    except UnavailableError:
        return False
    return True


async def until_it_answers(bus: Bus) -> float:
    start = time.monotonic()
    async with asyncio.timeout(15):
        while not await answers(bus):
            await asyncio.sleep(0.02)
    return time.monotonic() - start


async def test_requests_are_answered_again_after_the_server_was_killed(tmp_path: Path) -> None:
    with running_nats() as nats, running_worker(nats.url, tmp_path) as worker:
        worker.until_ready()
        async with connected(nats.url) as (bus, _):
            assert await answers(bus)

            nats.server.kill()
            async with asyncio.timeout(5):
                while bus.is_connected:
                    await asyncio.sleep(0.01)
            assert not await answers(bus)

            nats.server.start()
            seconds = await until_it_answers(bus)

        assert seconds < 5
        worker.until_ready()


async def test_a_request_in_flight_fails_at_once_when_the_server_dies(tmp_path: Path) -> None:
    with running_nats() as nats, running_worker(nats.url, tmp_path) as worker:
        worker.until_ready()
        async with connected(nats.url) as (bus, _):
            waiting = asyncio.create_task(
                bus.request("test.echo", Say(text="a", seconds=20), Said, deadline=Deadline.after(25))
            )
            await asyncio.sleep(0)
            assert await answers(bus)
            start = time.monotonic()

            nats.server.kill()

            with pytest.raises(UnavailableError):
                await waiting
            assert time.monotonic() - start < 3


async def test_a_request_waits_for_a_server_that_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.bus.RETURN_SECONDS", 10.0)
    crowd = Crowd(limit=4)
    with running_nats() as nats:
        async with connected(nats.url, crowd.router) as (bus, _):
            nats.server.kill()
            async with asyncio.timeout(5):
                while bus.is_connected:
                    await asyncio.sleep(0.01)
            asking = asyncio.create_task(
                bus.request("test.crowd", messages.Say(text="a"), messages.Said, deadline=Deadline.after(15))
            )
            await asyncio.sleep(0)
            nats.server.start()

            said = await asking

    assert said.text == "a"


async def test_requests_without_a_connection_fail_within_a_second_and_are_not_sent_later(tmp_path: Path) -> None:
    with running_nats() as nats, running_worker(nats.url, tmp_path) as worker:
        worker.until_ready()
        async with connected(nats.url) as (bus, _):
            nats.server.kill()
            async with asyncio.timeout(5):
                while bus.is_connected:
                    await asyncio.sleep(0.01)
            start = time.monotonic()

            for _ in range(50):
                with pytest.raises(UnavailableError):
                    await bus.request("test.echo", Say(text="late"), Said, deadline=Deadline.after(10))

            assert time.monotonic() - start < RETURN_SECONDS + 1
            nats.server.start()
            await until_it_answers(bus)

        served = worker.get("/metrics")[1]
        line = next(x for x in served.splitlines() if x.startswith("ragspine_requests_served_total"))
        assert float(line.split()[-1]) < 10
