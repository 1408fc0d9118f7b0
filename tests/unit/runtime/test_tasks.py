"""A background task ends when it is told to, even if its first cancellation gets lost on the way."""

import asyncio

import pytest

from runtime.tasks import end


async def test_a_task_that_loses_its_first_cancellation_ends_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.tasks.AGAIN_SECONDS", 0.01)
    lost = 0

    async def forgetful() -> None:
        nonlocal lost
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost += 1
                if lost > 2:
                    raise

    task = asyncio.create_task(forgetful())
    await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await end(task)

    assert (task.cancelled(), lost) == (True, 3)


async def test_what_a_task_failed_with_is_left_to_whoever_awaits_it() -> None:
    async def fails() -> None:
        raise ValueError("on purpose")

    task = asyncio.create_task(fails())
    await asyncio.sleep(0)

    await end(task)

    with pytest.raises(ValueError, match="on purpose"):
        await task


async def test_there_may_be_nothing_to_end() -> None:
    await end()
