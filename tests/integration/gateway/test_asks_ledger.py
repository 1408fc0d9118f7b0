"""The ledger of durable asks in a real Postgres: one final word, keys, retries, upkeep, and under its least rights."""

import asyncio
import dataclasses
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import asyncpg
import pytest

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import ListAsks
from contracts.v1.errors import ErrorReply
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.gateway.asks.records import Name, final_word
from services.gateway.asks.store.accepting import (
    BeingSent,
    DeskLedger,
    Known,
    New,
    NoRoom,
    Other,
    Share,
    Unsent,
    Wanted,
    Written,
)
from services.gateway.asks.store.upkeep import UpkeepLedger
from services.gateway.asks.store.webhooks import WebhookRows
from services.gateway.asks.store.working import WorkingLedger
from tests.component.gateway.doors import ANSWER

pytestmark = [pytest.mark.connected, pytest.mark.timeout(30)]

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
NAME = Name("crm", "1")
BODY = b'{"question":"q"}'
AMPLE = Share(asks=1_000, bytes=1_000_000)
FAILED = ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="x")


@asynccontextmanager
async def pool_of(dsn: str) -> AsyncGenerator[Pool]:
    """A pool of a role that has the rights of `ragspine_asks` and no others."""
    owner = await asyncpg.connect(dsn)
    with suppress(asyncpg.DuplicateObjectError):
        await owner.execute("CREATE ROLE asks_test LOGIN IN ROLE ragspine_asks")
    await owner.close()
    own = dsn.replace("postgres@", "asks_test@")
    async with Pool.open(own, "test", UnavailableError, size=4, limit_seconds=5, read_only=False) as pool:
        yield pool


def wanted(ask_id: str, key: str | None = "k", digest: bytes = b"a", webhook: str | None = None) -> Wanted:
    return Wanted(Name("crm", ask_id), BODY, key, digest, None, webhook)


async def test_of_two_final_words_the_first_stays(database: str) -> None:
    async with pool_of(database) as pool:
        ledger = WorkingLedger(pool, "run")
        taken = await ledger.take(NAME, b"{}", None, NOW)
        assert taken is not None
        words = [final_word(taken.ask, said, now=NOW) for said in (ANSWER, FAILED)]

        finals = await asyncio.gather(*(ledger.finish(NAME, word, is_dead_letter=True) for word in words))
        again = await ledger.take(NAME, b"other", None, NOW)

    assert len(set(finals)) == 1
    assert again is not None
    assert (again.ask.final, again.ask.attempts, again.is_same) == (finals[0], 1, False)


async def test_a_key_stands_for_one_request_of_its_app(database: str) -> None:
    async with pool_of(database) as pool:
        ledger = DeskLedger(pool, AMPLE)
        first = await ledger.accept(wanted("1"))
        sending = await ledger.accept(wanted("2"))
        await ledger.not_sent(NAME)
        unsent = await ledger.accept(wanted("3"))
        await ledger.sent(NAME)
        known = await ledger.accept(wanted("4"))
        other = await ledger.accept(wanted("5", digest=b"b"))
        keyless = await ledger.accept(wanted("6", key=None))

    kinds: list[type[Written]] = [type(one) for one in (first, sending, unsent, known, other, keyless)]
    assert kinds == [New, BeingSent, Unsent, Known, Other, New]
    assert isinstance(known, Known)
    assert known.ask.name == NAME


@pytest.mark.parametrize("share", [Share(asks=2, bytes=1_000_000), Share(asks=1_000, bytes=2 * len(BODY))])
async def test_an_app_has_its_share_of_open_asks_and_leaves_that_of_others(database: str, share: Share) -> None:
    async with pool_of(database) as pool:
        working, desk = WorkingLedger(pool, "run"), DeskLedger(pool, share)
        accepted = [await desk.accept(wanted(ask_id, key=ask_id)) for ask_id in "12"]
        await desk.sent(NAME)
        full = [await desk.accept(wanted("3", key="3")), await desk.accept(wanted("4", key=None))]
        replayed = await desk.accept(wanted("5", key="1"))
        elsewhere = await desk.accept(dataclasses.replace(wanted("1"), name=Name("erp", "1")))
        taken = await working.take(NAME, BODY, None, NOW)
        assert taken is not None
        await working.finish(NAME, final_word(taken.ask, FAILED, now=NOW), is_dead_letter=False)
        room = await desk.accept(wanted("3", key="3"))
        requeued = await desk.requeue(NAME)
        rows = await desk.list("crm", ListAsks())

    assert [type(one) for one in (*accepted, *full, replayed, elsewhere, room)] == [
        *(New, New, NoRoom, NoRoom, Known, New, New)
    ]
    assert (requeued, [ask.name.ask_id for ask in rows]) == (None, ["3", "2", "1"])


async def test_only_a_failed_ask_becomes_open_again_and_gets_another_word(database: str) -> None:
    async with pool_of(database) as pool:
        working, desk = WorkingLedger(pool, "run"), DeskLedger(pool, AMPLE)
        taken = await working.take(NAME, b"{}", None, NOW)
        assert taken is not None
        assert await desk.requeue(NAME) is None
        await working.finish(NAME, final_word(taken.ask, FAILED, now=NOW), is_dead_letter=True)
        requeued = await desk.requeue(NAME)
        await working.finish(NAME, final_word(taken.ask, ANSWER, now=NOW), is_dead_letter=False)
        found = await desk.find(NAME)
        page = await desk.list("crm", ListAsks())

    assert requeued is not None
    assert requeued.state is AskState.QUEUED
    assert found is not None
    assert found.status().answer == ANSWER
    assert [ask.summary().state for ask in page] == [AskState.ANSWERED]


async def test_runs_that_never_said_how_their_attempt_ended_are_counted_once_each(database: str) -> None:
    async with pool_of(database) as pool:
        ours, runs = WorkingLedger(pool, "ours"), [WorkingLedger(pool, name) for name in "aabc"]

        async def seen(ledger: WorkingLedger = ours) -> tuple[int, int]:
            taken = await ledger.take(NAME, BODY, None, NOW)
            assert taken is not None
            return taken.ask.interruptions, taken.ask.attempts

        died = [await seen(run) for run in runs] + [await seen()]
        again = await seen()  # we live: what we began before is no interruption
        await ours.hand_back(NAME, was_begun=False)
        await runs[-1].fault(NAME)  # and so does this one
        fewer = await seen()
        await ours.wait(NAME, ErrorCode.UNAVAILABLE)
        after_an_outage = await seen()

    assert died == [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5)]
    assert (again, fewer, after_an_outage) == ((3, 6), (2, 6), (0, 7))


async def test_asks_of_a_state_are_listed_whatever_others_came_later(database: str) -> None:
    async with pool_of(database) as pool:
        working, desk = WorkingLedger(pool, "run"), DeskLedger(pool, AMPLE)
        await desk.accept(wanted("queued", key=None))
        for ask_id, said in (("failed", FAILED), ("answered", ANSWER), ("working", None)):
            taken = await working.take(Name("crm", ask_id), b"{}", None, NOW)
            assert taken is not None
            if said is not None:
                await working.finish(taken.ask.name, final_word(taken.ask, said, now=NOW), is_dead_letter=False)

        listed = {state.value: await desk.list("crm", ListAsks(limit=1, state=state)) for state in AskState}

    assert {state: [ask.name.ask_id for ask in asks] for state, asks in listed.items()} == {
        state.value: [state.value] for state in AskState
    }


async def test_the_upkeep_finds_what_is_lost_and_unpublished_and_removes_what_is_old(database: str) -> None:
    async with pool_of(database) as pool:
        working, desk, upkeep = WorkingLedger(pool, "run"), DeskLedger(pool, AMPLE), UpkeepLedger(pool)
        await desk.accept(wanted("lost", key=None))
        await desk.sent(Name("crm", "lost"))
        await desk.accept(wanted("unsent", key=None))
        await desk.not_sent(Name("crm", "unsent"))
        taken = await working.take(NAME, b"{}", None, NOW)
        assert taken is not None
        final = await working.finish(NAME, final_word(taken.ask, FAILED, now=NOW), is_dead_letter=True)
        assert final is not None

        standing = await upkeep.standing()
        early = [name.ask_id for name, _ in await upkeep.lost(60, 10)]
        late = [name.ask_id for name, _ in await upkeep.lost(0, 10)]
        unpublished = await upkeep.unpublished(0, 10)
        await working.published(NAME, final)
        published = await upkeep.unpublished(0, 10)
        removed = await upkeep.remove(60, 10)  # its time is that of the test, long ago

        assert await desk.find(NAME) is None
    assert (standing.open, early, sorted(late)) == (2, ["unsent"], ["lost", "unsent"])
    assert (unpublished, published, removed) == ([(NAME, final)], [], 1)


async def test_a_finished_ask_is_told_once_to_whom_it_is_due(database: str) -> None:
    async with pool_of(database) as pool:
        working, desk, webhooks = WorkingLedger(pool, "run"), DeskLedger(pool, AMPLE), WebhookRows(pool)
        await desk.accept(wanted("1", webhook="https://crm.example/told"))
        taken = await working.take(NAME, b'{"question":"q"}', None, NOW)
        assert taken is not None
        before = await webhooks.claim(10, lease_seconds=30, without=())
        await working.finish(NAME, final_word(taken.ask, ANSWER, now=NOW), is_dead_letter=False)
        excluded = await webhooks.claim(10, lease_seconds=30, without=("crm",))
        (due,) = await webhooks.claim(10, lease_seconds=30, without=())
        leased = await webhooks.claim(10, lease_seconds=30, without=())
        await webhooks.postpone(due, 0, "timeout")
        (again,) = await webhooks.claim(10, lease_seconds=0, without=())
        await webhooks.delivered(due)  # too late: it was given out again
        await webhooks.delivered(again)
        after = await webhooks.claim(10, lease_seconds=30, without=())

    assert (before, excluded, leased, after) == ([], [], [], [])
    assert (due.attempt, again.attempt, due.url) == (1, 2, "https://crm.example/told")
    assert b'"answered"' in due.body


async def test_dead_letters_cannot_be_rewritten(database: str) -> None:
    async with pool_of(database) as pool:
        for statement in (
            "UPDATE asks.dead_letter SET code = 'x'",
            "DELETE FROM asks.dead_letter",
            "SELECT FROM faq.item",
        ):
            with pytest.raises(UnavailableError):
                async with pool.connection() as connection:
                    await connection.execute(statement)
