import asyncio
import contextvars
import sys
import threading
from threading import Event

import pytest

from runtime.threads import TURN_SECONDS, Threads, take_short_turns

ASKED: contextvars.ContextVar[str] = contextvars.ContextVar("asked", default="nothing")


async def test_work_is_done_beside_the_loop_and_what_it_gives_or_raises_comes_back() -> None:
    threads = Threads("test", 1)

    given = await threads.run(lambda number: (number + 1, threading.current_thread().name), 41)

    assert given == (42, "test_0")
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)


async def test_the_loop_turns_while_work_is_done() -> None:
    threads, go_on = Threads("test", 1), Event()

    waiting = asyncio.create_task(threads.run(go_on.wait, 10))
    await asyncio.sleep(0)
    go_on.set()

    assert await waiting


async def test_what_comes_while_all_threads_are_busy_waits() -> None:
    threads, first, second = Threads("test", 1), Event(), Event()

    waiting = [asyncio.create_task(threads.run(event.wait, 10)) for event in (first, second)]
    second.set()
    done, _ = await asyncio.wait(waiting, timeout=0.05)
    first.set()
    given = await asyncio.gather(*waiting)

    assert (done, given) == (set(), [True, True])


async def test_the_context_of_the_caller_holds_there_too() -> None:
    ASKED.set("香港")

    assert await Threads("test", 1).run(ASKED.get) == "香港"


def test_a_worker_lets_threads_compute_for_a_millisecond_each() -> None:
    before = sys.getswitchinterval()
    try:
        take_short_turns()

        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
    finally:
        sys.setswitchinterval(before)
