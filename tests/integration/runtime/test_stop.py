"""A worker that is told to stop finishes what it has taken, and nothing that was sent is lost."""

import asyncio
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.bus import Bus
from runtime.deadline import Deadline
from tests.integration.runtime.clients import connected
from tests.integration.runtime.worker_process import Process, Said, Say, running_worker, until

pytestmark = [pytest.mark.connected, pytest.mark.timeout(90)]

IN_FLIGHT = 64


async def keep_asking(bus: Bus, seconds: float, is_over: Callable[[], bool]) -> list[int]:
    """Ask again and again, `IN_FLIGHT` at a time; the process ids that answered. Any failed request fails the test."""
    answered: list[int] = []

    async def one() -> None:
        while not is_over():
            said = await bus.request("test.echo", Say(text="a", seconds=seconds), Said, deadline=Deadline.after(5))
            answered.append(said.pid)

    await asyncio.gather(*(one() for _ in range(IN_FLIGHT)))
    return answered


@pytest.mark.parametrize("seconds", [0.0, 0.02])
@pytest.mark.parametrize("attempt", range(2))
async def test_stopping_one_of_two_workers_under_load_loses_no_request(
    nats_url: str, tmp_path: Path, seconds: float, attempt: int
) -> None:
    with running_worker(nats_url, tmp_path) as leaving, running_worker(nats_url, tmp_path) as staying:
        leaving.until_ready()
        staying.until_ready()
        async with connected(nats_url) as (bus, _):
            started = time.monotonic()
            stopped_at: list[float] = []

            def is_over() -> bool:
                now = time.monotonic()
                if not stopped_at and now - started > 0.7 + attempt / 10:
                    leaving.terminate()
                    stopped_at.append(now)
                return bool(stopped_at) and now - stopped_at[0] > 1.0

            answered = await keep_asking(bus, seconds, is_over)

        assert leaving.wait() == 0
        assert set(answered) == {leaving.popen.pid, staying.popen.pid}
        assert "requests_given_up" not in {event.get("event") for event in leaving.events()}


async def test_running_requests_are_finished_before_the_process_ends(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path) as worker:
        worker.until_ready()
        async with connected(nats_url) as (bus, _):
            asks = [
                asyncio.create_task(
                    bus.request("test.echo", Say(text=str(i), seconds=0.5), Said, deadline=Deadline.after(10))
                )
                for i in range(IN_FLIGHT)
            ]
            await asyncio.to_thread(until, lambda: "requests_in_flight{" in worker.get("/metrics")[1], worker)
            await asyncio.to_thread(until, lambda: _in_flight(worker) == IN_FLIGHT, worker)
            worker.terminate()
            answers = await asyncio.gather(*asks)

        assert sorted(int(said.text) for said in answers) == list(range(IN_FLIGHT))
        assert worker.wait() == 0


def _in_flight(worker: Process) -> int:
    lines = worker.get("/metrics")[1].splitlines()
    return int(sum(float(line.split()[1]) for line in lines if line.startswith("ragspine_requests_in_flight{")))


def test_a_request_longer_than_the_grace_period_is_given_up(nats_url: str, tmp_path: Path) -> None:
    async def ask_and_stop(worker: Process) -> None:
        async with connected(nats_url) as (bus, _):
            ask = asyncio.create_task(
                bus.request("test.echo", Say(text="a", seconds=60), Said, deadline=Deadline.after(1.5))
            )
            await asyncio.to_thread(until, lambda: _in_flight(worker) == 1, worker)
            worker.terminate()
            await asyncio.gather(ask, return_exceptions=True)

    with running_worker(nats_url, tmp_path, RAGSPINE_STOP_GRACE_SECONDS="0.3") as worker:
        worker.until_ready()
        asyncio.run(ask_and_stop(worker))

        assert worker.wait() == 0
        assert [event["count"] for event in worker.events() if event["event"] == "requests_given_up"] == [1]


def test_resources_that_never_close_are_given_up(nats_url: str, tmp_path: Path) -> None:
    variables = {"RAGSPINE_CLOSE_SECONDS": "60", "RAGSPINE_STOP_GRACE_SECONDS": "0.2"}
    with running_worker(nats_url, tmp_path, **variables) as worker:
        worker.until_ready()

        worker.terminate()

        assert worker.wait() == 1
        assert "closing_given_up" in {event["event"] for event in worker.events()}


def test_a_second_signal_ends_the_process_at_once(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path, RAGSPINE_CLOSE_SECONDS="60") as worker:
        worker.until_ready()
        worker.terminate()
        until(lambda: "stopping" in worker.get("/readyz")[1], worker)

        worker.popen.send_signal(signal.SIGINT)

        assert worker.wait(5) == 128 + signal.SIGINT


def test_an_interrupt_stops_as_cleanly_as_a_termination(nats_url: str, tmp_path: Path) -> None:
    with running_worker(nats_url, tmp_path) as worker:
        worker.until_ready()

        worker.popen.send_signal(signal.SIGINT)

        assert worker.wait() == 0
        assert worker.events()[-1]["event"] == "stopped"
