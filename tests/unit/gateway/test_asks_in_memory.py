import asyncio

from contracts.codes import AskState
from contracts.v1.asks import ListAsks, SubmitAsk
from contracts.v1.errors import ErrorReply
from services.gateway.asks.ports import Accepted, AskDesk, InFlight, Mismatch, NotFailed, Replayed, Requeued, UnknownAsk
from tests.support.asks import AsksInMemory

ASK = SubmitAsk(question="ACME revenue 2024?")
FAILED = ErrorReply.model_validate({"code": "internal", "retryable": False, "message": "An internal error occurred."})


async def accepted(desk: AskDesk, app: str = "a", key: str | None = None) -> str:
    match await desk.accept(app, ASK, key):
        case Accepted(status):
            return status.ask_id
        case other:
            raise AssertionError(other)


async def test_a_key_gives_the_same_ask_again_and_refuses_another_one() -> None:
    desk = AsksInMemory()
    ask_id = await accepted(desk, key="k")

    again, other = await desk.accept("a", ASK, "k"), await desk.accept("a", SubmitAsk(question="Other?"), "k")

    assert isinstance(again, Replayed)
    assert again.status.ask_id == ask_id
    assert other == Mismatch()
    assert isinstance(await desk.accept("b", ASK, "k"), Accepted)


async def test_a_request_that_is_being_accepted_is_in_flight() -> None:
    desk = AsksInMemory(being_accepted={("a", "k")})

    assert await desk.accept("a", ASK, "k") == InFlight()


async def test_apps_see_their_own_asks_only() -> None:
    desk = AsksInMemory()
    ask_id = await accepted(desk, "a")

    assert await desk.find("b", ask_id) is None
    assert (await desk.list("b", ListAsks())).asks == ()
    assert await desk.retry("b", ask_id) == UnknownAsk()


async def test_pages_follow_each_other_newest_first() -> None:
    desk = AsksInMemory()
    ids = [await accepted(desk) for _ in range(3)]

    first = await desk.list("a", ListAsks(limit=2))
    last = await desk.list("a", ListAsks(limit=2, before=first.next))

    assert [ask.ask_id for ask in (*first.asks, *last.asks)] == ids[::-1]
    assert last.next is None


async def test_only_a_failed_ask_is_tried_again() -> None:
    desk = AsksInMemory()
    ask_id = await accepted(desk)

    waiting = await desk.retry("a", ask_id)
    desk.move("a", ask_id, AskState.FAILED, error=FAILED)
    again = await desk.retry("a", ask_id)

    assert isinstance(waiting, NotFailed)
    assert isinstance(again, Requeued)
    assert again.status.state is AskState.QUEUED


async def test_a_follower_hears_every_state_up_to_the_final_one() -> None:
    desk = AsksInMemory()
    ask_id = await accepted(desk)
    seen: list[AskState] = []

    async def follow() -> None:
        async for status in desk.follow("a", ask_id):
            seen.append(status.state)

    task = asyncio.create_task(follow())
    for state in (AskState.WORKING, AskState.FAILED):
        await asyncio.sleep(0)
        desk.move("a", ask_id, state, error=FAILED if state is AskState.FAILED else None)
        await asyncio.sleep(0)
    await asyncio.wait_for(task, 5)

    assert seen == [AskState.QUEUED, AskState.WORKING, AskState.FAILED]
