"""Managing vetted answers on real Postgres and Redis: imports, approvals, facts that change, suggestions."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from decimal import Decimal

import asyncpg
import pytest

from contracts.codes import FaqState, PeriodType, ReviewStatus
from contracts.v1.facts import FactList, FactsChanged, FactScope, StoredFact
from contracts.v1.faq import FaqItems, ListFaq
from runtime.deadline import Deadline
from runtime.errors import ConflictError, InvalidRequestError, NotFoundError
from services.gateway.faq.cache.client import connect
from services.gateway.faq.cache.counting import COUNTERS, KEPT_TEXTS, ROWS, CountingSketch, places
from services.gateway.faq.changes import Condition
from services.gateway.faq.serving import Space
from services.gateway.faq.vetted import Miss
from tests.support.vetting import Vetting, vetting

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

ITEMS = """{"items": [
    {"id": "a", "question": "食堂在哪", "answer": "三楼。", "owner": "o", "state": "approved", "version": 4,
     "aliases": ["餐厅在哪", "食堂在哪？", "？！", "ROE 口径"]},
    {"id": "b", "question": "班车在哪", "answer": "北门。", "owner": "o"}]}"""
DEPENDING = {
    "question": "员工说明在哪",
    "answer": "第 12 页",
    "depends_on": [{"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}],
}


@pytest.fixture
async def vetted(database: str, valkey_url: str) -> AsyncGenerator[Vetting]:
    async with vetting(database, valkey_url) as here:
        yield here


def _fact(value: str, *, withdrawn: bool = False, status: ReviewStatus = ReviewStatus.APPROVED) -> StoredFact:
    return StoredFact(
        id=1,
        metric_code="REVENUE",
        entity="ACME_CN",
        period_type=PeriodType.FY,
        period="2024",
        channel="TOTAL",
        value=Decimal(value),
        unit="USD_M",
        source_doc_id="d",
        source_locator="l",
        valid_as_of=None,
        review_status=status,
        withdrawn=withdrawn,
        ingested_at=datetime.now(UTC),
    )


def _event(entity: str = "ACME_CN", period: str = "2024", metric: str = "REVENUE") -> FactsChanged:
    scope = FactScope(metric=metric, entity=entity, period_type=PeriodType.FY, period=period, channel="TOTAL")
    return FactsChanged(event_id=1, scopes=(scope,))


async def _import(vetted: Vetting, text: str = ITEMS, *, skips_bad: bool = False) -> list[int]:
    done = await vetted.catalogue.put_all(
        FaqItems.model_validate_json(text), Deadline.after(10), who="t", skips_bad=skips_bad
    )
    return [done.created, done.changed, done.unchanged, done.skipped]


async def test_an_import_is_idempotent_and_says_what_is_never_served(vetted: Vetting) -> None:
    assert await _import(vetted) == [2, 0, 0, 0]
    assert await _import(vetted) == [0, 0, 2, 0]

    a = await vetted.catalogue.get("a")
    assert [(s.is_served, s.reason) for s in a.surfaces] == [
        *((True, None), (True, None), (False, "repeats"), (False, "empty"), (False, "structured_numeric"))
    ]
    assert (a.version, a.state) == (4, FaqState.APPROVED)
    assert await vetted.answer("餐厅在哪") == "三楼。"
    assert await vetted.answer("班车在哪") is None  # a draft
    assert len((await vetted.catalogue.audit("a")).entries) == 2


async def test_an_import_with_one_bad_item_stores_none_unless_told_to(vetted: Vetting) -> None:
    bad = ITEMS.replace('"answer": "北门。"', '"answer": "2 号门", "state": "approved"')

    with pytest.raises(InvalidRequestError) as refused:
        await _import(vetted, bad)

    assert [problem.field for problem in refused.value.problems] == ["items.1.answer"]
    assert (await vetted.catalogue.page(ListFaq())).items == ()
    assert await _import(vetted, bad, skips_bad=True) == [1, 0, 0, 1]


async def test_a_conflict_inside_an_import_leaves_nothing_behind(vetted: Vetting) -> None:
    await _import(vetted)

    with pytest.raises(InvalidRequestError):  # version 4 with another text
        await _import(vetted, ITEMS.replace("三楼", "四楼").replace("北门", "南门"))

    assert (await vetted.catalogue.get("b")).answer == "北门。"


async def test_lists_are_filtered_and_paged(vetted: Vetting) -> None:
    await _import(vetted)
    page = await vetted.catalogue.page(ListFaq(limit=1))

    assert ([item.id for item in page.items], page.next_after) == (["a"], "a")
    assert [item.id for item in (await vetted.catalogue.page(ListFaq(after="a"))).items] == ["b"]
    assert [item.id for item in (await vetted.catalogue.page(ListFaq(state=FaqState.DRAFT))).items] == ["b"]
    assert [item.id for item in (await vetted.catalogue.page(ListFaq(text="餐厅"))).items] == ["a"]
    assert (await vetted.catalogue.page(ListFaq(owner="nobody"))).items == ()


async def test_what_does_not_exist_is_not_found_and_history_outlives_an_item(vetted: Vetting) -> None:
    await _import(vetted)
    await vetted.catalogue.delete("a", Condition.UNSAID, who="t")

    with pytest.raises(NotFoundError):
        await vetted.catalogue.get("a")
    with pytest.raises(NotFoundError):
        await vetted.catalogue.approve("a", Condition.UNSAID, Deadline.after(5), who="t")
    assert [entry.action for entry in (await vetted.catalogue.audit("a")).entries] == ["deleted", "approved", "created"]


async def test_a_remade_item_takes_no_edit_that_was_meant_for_the_old_one(vetted: Vetting) -> None:
    old = await vetted.put("a", Condition.NEW)
    await vetted.catalogue.delete("a", Condition.UNSAID, who="t")
    await vetted.put("a", Condition.NEW, answer="五楼。")

    with pytest.raises(ConflictError):
        await vetted.put("a", old.revision, answer="六楼。")


@pytest.mark.parametrize(
    ("before", "after", "is_stale"),
    [
        ([_fact("1")], [_fact("1")], False),
        ([_fact("1")], [_fact("2")], True),
        ([_fact("1")], [], True),
        ([], [_fact("1")], True),
        ([_fact("1")], [_fact("1", withdrawn=True)], True),
        ([], [_fact("1", status=ReviewStatus.PENDING)], False),
        ([_fact("1.1")], [_fact("1.10")], True),
    ],
)
async def test_an_item_is_stale_when_what_may_answer_is_another_fact(
    vetted: Vetting, before: list[StoredFact], after: list[StoredFact], is_stale: bool
) -> None:
    vetted.facts.page = FactList(facts=tuple(before))
    await vetted.put("a", Condition.NEW, **DEPENDING)
    vetted.facts.page = FactList(facts=tuple(after))

    await vetted.staleness.on_facts_changed(_event())
    await vetted.staleness.on_facts_changed(_event())  # events may come twice

    state = (await vetted.catalogue.get("a")).state
    assert state is (FaqState.STALE if is_stale else FaqState.APPROVED)
    assert (await vetted.answer("员工说明在哪") is None) is is_stale
    await vetted.catalogue.approve("a", Condition.UNSAID, Deadline.after(5), who="t")
    await vetted.staleness.look_at_all()
    assert await vetted.answer("员工说明在哪") == "第 12 页"


@pytest.mark.parametrize("event", [_event("ACME_HK"), _event(period="2023"), _event(metric="ROE")])
async def test_other_facts_are_not_looked_at(vetted: Vetting, event: FactsChanged) -> None:
    vetted.facts.page = FactList(facts=(_fact("1"),))
    await vetted.put("a", Condition.NEW, **DEPENDING)
    vetted.facts.page = FactList(facts=(_fact("2"),))

    await vetted.staleness.on_facts_changed(event)
    assert (await vetted.catalogue.get("a")).state is FaqState.APPROVED

    await vetted.staleness.look_at_all()
    assert (await vetted.catalogue.get("a")).state is FaqState.STALE
    assert isinstance(await vetted.find("员工说明在哪"), Miss)


async def test_the_history_cannot_be_rewritten_by_the_role_that_writes_it(database: str, vetted: Vetting) -> None:
    await vetted.put("a", Condition.NEW)
    connection = await asyncpg.connect(database)
    await connection.execute("SET ROLE ragspine_faq")
    try:
        assert await connection.fetchval("SELECT count(*) FROM faq.audit") == 2
        for statement in ("UPDATE faq.audit SET who = 'x'", "DELETE FROM faq.audit"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_questions_are_counted_in_bounded_space_and_kept_from_the_threshold_on(valkey_url: str) -> None:
    async with connect(valkey_url, None, 2) as client:
        sketch = CountingSketch(client, Space("sketch"))
        for _ in range(3):
            await sketch.count("often", 3)
        await sketch.count("rare", 3)
        await asyncio.gather(*(sketch.count(f"many {i}", 1) for i in range(KEPT_TEXTS + 50)))

        found = await sketch.top()

    assert found[0] == ("often", 3)
    assert "rare" not in dict(found)
    assert len(found) <= KEPT_TEXTS
    assert all(row * COUNTERS <= place < (row + 1) * COUNTERS for row, place in enumerate(places("often")))
    assert len(places("often")) == ROWS
