"""Webhooks in the ledger, on a real database: due once the ask has ended, lent for a while, there after a crash."""

from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import AskStatus
from contracts.v1.errors import ErrorReply
from runtime.errors import UnavailableError
from runtime.postgres import Pool
from services.gateway.asks.records import Name, final_word
from services.gateway.asks.store.accepting import DeskLedger, New, Share, Wanted
from services.gateway.asks.store.webhooks import WebhookRows
from services.gateway.asks.store.working import WorkingLedger
from tests.component.gateway.doors import ANSWER
from tests.support.databases import Databases

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

AMPLE = Share(asks=1_000, bytes=1_000_000)
URL = "https://hooks.test/done"
FAILURE = ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="An internal error occurred.")


@pytest.fixture
async def pool(databases: Databases) -> AsyncGenerator[Pool]:
    with databases.migrated() as dsn:
        async with Pool.open(dsn, "gateway", UnavailableError, size=4, limit_seconds=5, read_only=False) as opened:
            yield opened


async def accepted(pool: Pool, ask_id: str, *, app: str = "crm", url: str | None = URL) -> Name:
    name = Name(app, ask_id)
    written = await DeskLedger(pool, AMPLE).accept(Wanted(name, b"{}", None, b"", None, url))
    assert isinstance(written, New)
    return name


async def ended(pool: Pool, name: Name, *, failed: bool = False) -> None:
    ask = await DeskLedger(pool, AMPLE).find(name)
    assert ask is not None
    word = final_word(ask, FAILURE if failed else ANSWER, now=ask.accepted_at + timedelta(seconds=1))
    await WorkingLedger(pool, "run").finish(name, word, is_dead_letter=False)


async def claimed(pool: Pool, *, lease: float = 60.0, without: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    found = await WebhookRows(pool).claim(10, lease_seconds=lease, without=without)
    return sorted((due.ask_id, due.attempt) for due in found)


async def test_an_ask_is_due_once_it_has_ended_and_only_where_somebody_wants_to_be_told(pool: Pool) -> None:
    told, quiet = await accepted(pool, "told"), await accepted(pool, "quiet", url=None)
    before = await claimed(pool)

    for name in (told, quiet):
        await ended(pool, name)
    (due,) = await WebhookRows(pool).claim(10, lease_seconds=60, without=())

    status = AskStatus.model_validate_json(due.body)
    assert before == []
    assert (due.app, due.ask_id, due.url, due.attempt) == ("crm", "told", URL, 1)
    assert (status.ask_id, status.state, status.answer) == ("told", AskState.ANSWERED, ANSWER)


async def test_what_is_lent_is_given_to_nobody_else_until_its_time_is_over(pool: Pool) -> None:
    await ended(pool, await accepted(pool, "a"))

    lent = await claimed(pool)
    meanwhile = await claimed(pool)
    await pool.fetch("UPDATE asks.ask SET webhook_next_at = now() RETURNING 1")  # whoever had it has died
    again = await claimed(pool)

    assert (lent, meanwhile, again) == ([("a", 1)], [], [("a", 2)])


async def test_what_came_of_an_attempt_is_kept(pool: Pool) -> None:
    rows = WebhookRows(pool)
    for ask_id in ("taken", "later", "over"):
        await ended(pool, await accepted(pool, ask_id))
    due = {one.ask_id: one for one in await rows.claim(10, lease_seconds=0, without=())}

    await rows.delivered(due["taken"])
    await rows.postpone(due["later"], 0.0, "status_500")
    await rows.give_up(due["over"], "gone")

    codes = await pool.fetch("SELECT ask_id, webhook_code, webhook_told_at IS NOT NULL AS told FROM asks.ask")
    assert {row["ask_id"]: (row["webhook_code"], row["told"]) for row in codes} == {
        "taken": (None, True),
        "later": ("status_500", False),
        "over": ("gone", False),
    }
    assert await claimed(pool) == [("later", 2)]


async def test_the_apps_that_hold_their_places_are_left_out(pool: Pool) -> None:
    await ended(pool, await accepted(pool, "slow", app="crm"))
    await ended(pool, await accepted(pool, "quick", app="erp"))

    assert await claimed(pool, without=("crm",)) == [("quick", 1)]


async def test_an_ask_that_was_tried_again_is_told_of_again(pool: Pool) -> None:
    name = await accepted(pool, "a")
    await ended(pool, name, failed=True)
    (due,) = await WebhookRows(pool).claim(10, lease_seconds=60, without=())
    await WebhookRows(pool).delivered(due)

    await DeskLedger(pool, AMPLE).requeue(name)
    queued = await claimed(pool)
    await ended(pool, name)

    assert queued == []
    assert await claimed(pool) == [("a", 1)]
