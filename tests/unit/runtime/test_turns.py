"""What became ready together runs one after the other, and everything else is heard in between."""

import asyncio

from runtime.turns import Turns


async def test_who_is_alone_does_not_wait() -> None:
    turns, done = Turns(), list[str]()
    asyncio.get_running_loop().call_soon(done.append, "the next turn of the loop")

    await turns.mine()

    assert done == []


async def test_a_pile_is_worked_off_one_in_a_turn_and_in_order() -> None:
    turns, loop = Turns(), asyncio.get_running_loop()
    done = list[str]()

    async def work(number: int) -> None:
        await turns.mine()
        done.append(f"work {number}")
        loop.call_soon(done.append, "other")

    await asyncio.gather(*(work(number) for number in range(5)))

    assert [what for what in done if what != "other"] == [f"work {number}" for number in range(5)]
    assert all("other" in done[done.index(f"work {n}") : done.index(f"work {n + 1}")] for n in range(4)), done


async def test_who_leaves_holds_nobody_up() -> None:
    turns = Turns()
    first, leaves, *others = [asyncio.create_task(turns.mine()) for _ in range(4)]
    await asyncio.sleep(0)
    leaves.cancel()

    async with asyncio.timeout(1):
        await asyncio.gather(first, *others)

    assert leaves.cancelled()


async def test_after_a_pile_nobody_waits_again() -> None:
    turns = Turns()
    await asyncio.gather(*(turns.mine() for _ in range(3)))
    for _ in range(3):
        await asyncio.sleep(0)
    done = list[str]()
    asyncio.get_running_loop().call_soon(done.append, "the next turn of the loop")

    await turns.mine()

    assert done == []
