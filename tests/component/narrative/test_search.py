"""`ragspine.v1.narrative.*` over the bus: loading, searching within a scope, and saying why nothing was found."""

import pytest

from contracts import subjects
from contracts.codes import ErrorCode, NothingFound
from contracts.v1.narrative import LoadPassages, Passages, PassagesLoaded, SearchPassages
from runtime.deadline import Deadline
from runtime.errors import AskError, UnavailableError
from runtime.metrics import Metrics
from runtime.testing import InMemoryBus
from services.narrative.handlers import make_router
from services.narrative.observing import Observed
from tests.support.passages import MemoryStore, Narrative, narrative_in_memory, passage


@pytest.fixture
def narrative() -> Narrative:
    return narrative_in_memory()


async def test_says_that_no_material_is_loaded(narrative: Narrative) -> None:
    found = await narrative.search("为什么", entities=["ACME_CN"])

    assert found == Passages(material_loaded=False, nothing_found=NothingFound.NO_MATERIAL)


async def test_what_was_loaded_is_found_by_the_next_search(narrative: Narrative) -> None:
    await narrative.load(passage())

    found = await narrative.search("香港门店客流为什么回落")

    assert [(p.doc_id, p.locator, p.score) for p in found.passages] == [("visit_log.pdf", "p3", 1.0)]


async def test_what_was_withdrawn_is_not(narrative: Narrative) -> None:
    await narrative.load(passage(), passage("香港门店客流回落说明", doc="other.pdf", locator="p1"))
    await narrative.search("香港门店客流为什么回落")

    await narrative.withdraw("visit_log.pdf")

    assert await narrative.found("香港门店客流为什么回落") == ["p1"]


async def test_a_replaced_text_is_found_by_its_new_words_only(narrative: Narrative) -> None:
    await narrative.load(passage("the outage hit billing"))
    await narrative.search("outage")
    await narrative.load(passage("a typhoon closed branches"))

    assert (await narrative.search("outage")).nothing_found is NothingFound.NO_MATCH
    assert await narrative.found("typhoon") == ["p3"]


async def test_another_entity_is_never_fallen_back_to(narrative: Narrative) -> None:
    await narrative.load(passage(entity="ACME_CN"))

    found = await narrative.search("香港门店客流为什么回落", entities=["ACME_HK"])

    assert (found.passages, found.nothing_found) == ((), NothingFound.NOTHING_IN_SCOPE)


async def test_a_passage_of_no_entity_is_about_every_entity(narrative: Narrative) -> None:
    await narrative.load(passage(), passage(locator="p4", entity="ACME_HK"), passage(locator="p5", entity="ACME_CN"))

    assert await narrative.found("香港门店客流为什么回落", entities=["ACME_HK"]) == ["p3", "p4"]


async def test_a_year_holds_its_quarters_and_a_quarter_does_not_hold_its_year(narrative: Narrative) -> None:
    await narrative.load(passage(period="2024Q3"), passage(locator="p4", period="FY2024"))
    year, quarter = {"type": "FY", "value": "2024"}, {"type": "QUARTER", "value": "2024Q3"}

    assert await narrative.found("客流回落", periods=[year]) == ["p3", "p4"]
    assert await narrative.found("客流回落", periods=[quarter]) == ["p3"]
    assert await narrative.found("客流回落", periods=[{"type": "FY", "value": "2023"}]) == []


async def test_the_latest_period_is_each_entitys_own(narrative: Narrative) -> None:
    await narrative.load(
        passage(locator="hk2", entity="ACME_HK", period="2024Q2"),
        passage(locator="hk3", entity="ACME_HK", period="2024Q3"),
        passage(locator="cn2", entity="ACME_CN", period="2024Q2"),
        passage(locator="cn1", entity="ACME_CN", period="2024Q1"),
        passage(locator="year", entity="ACME_CN", period="2024"),
    )

    both = await narrative.found("客流回落", entities=["ACME_HK", "ACME_CN"], latest="QUARTER")

    assert sorted(both) == ["cn2", "hk3"]
    assert await narrative.found("客流回落", latest="QUARTER") == ["hk3"]
    assert await narrative.found("客流回落", latest="HY") == []


async def test_a_passage_in_another_language_is_found_by_the_names_it_shares(narrative: Narrative) -> None:
    await narrative.load(passage("Revenue in Hong Kong fell after the typhoon.", locator="en"))

    assert await narrative.found("香港的营收为什么下降") == ["en"]


@pytest.mark.parametrize("label", ["RESTRICTED", "restricted", " Secret ", "confidential", "Ｐublic?", "内部"])
async def test_a_closed_or_unknown_label_never_leaves(narrative: Narrative, label: str) -> None:
    loaded = await narrative.load(passage(sensitivity=label))

    assert (await narrative.search("香港门店客流")).passages == ()
    assert loaded.received == 1


async def test_what_the_query_lets_through_is_stopped_where_the_reply_is_built() -> None:
    narrative = narrative_in_memory(MemoryStore(leaks=True))
    await narrative.load(passage(sensitivity="RESTRICTED"), passage(locator="p4", sensitivity="public"))

    assert await narrative.found("香港门店客流为什么回落") == ["p4"]
    assert narrative.index.size == 2


async def test_every_bad_row_is_named_and_nothing_is_loaded(narrative: Narrative) -> None:
    rows = (passage(), passage(locator="p4", entity="香港"), passage("另一段"), passage(doc="位" * 900))

    with pytest.raises(AskError) as refused:
        await narrative.load(*rows)

    assert {p.field: p.reason for p in refused.value.problems} == {
        "passages.1.entity": "not an entity of the profile; write its code ACME_HK",
        "passages.2": "says something else than passages.0 for the same document and locator",
        "passages.3.locator": "doc_id and locator together are longer than 2,560 bytes",
    }
    assert not (await narrative.search("香港")).material_loaded


async def test_the_same_row_twice_is_loaded_once(narrative: Narrative) -> None:
    loaded = await narrative.load(passage(), passage())

    assert (loaded.received, loaded.inserted, loaded.unchanged) == (2, 1, 1)


async def test_a_store_that_is_away_is_never_nothing_found() -> None:
    narrative = narrative_in_memory(MemoryStore(is_up=False))

    with pytest.raises(UnavailableError):
        await narrative.search("香港")


async def test_searches_that_come_together_read_changes_once() -> None:
    store = MemoryStore()
    narrative = narrative_in_memory(store)
    await narrative.load(passage())

    await narrative.search("香港")
    await narrative.search("香港")

    assert store.reads == 1


async def test_an_older_database_is_indexed_anew() -> None:
    store = MemoryStore()
    narrative = narrative_in_memory(store)
    await narrative.load(passage())
    await narrative.load(passage(locator="p4"))
    await narrative.search("香港")

    store.kept.pop(("visit_log.pdf", "p4"))
    store.current = 1

    assert await narrative.found("香港") == ["p3"]


async def test_over_the_bus(narrative: Narrative) -> None:
    metrics = Metrics()
    bus = InMemoryBus(make_router(narrative.service, Observed(metrics)))
    digest, soon = narrative.profile.digest(), Deadline.after(5)

    await bus.request(subjects.NARRATIVE_LOAD, LoadPassages(passages=(passage(),)), PassagesLoaded, deadline=soon)
    wanted = SearchPassages(question="台风", profile_digest=digest)
    found = await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=soon)
    other = SearchPassages(question="台风", profile_digest="other")
    with pytest.raises(AskError) as refused:
        await bus.request(subjects.NARRATIVE_SEARCH, other, Passages, deadline=soon)

    assert [p.locator for p in found.passages] == ["p3"]
    assert (refused.value.code, refused.value.retryable) == (ErrorCode.PROFILE_MISMATCH, True)
    assert metrics.registry.get_sample_value("ragspine_searches_total", {"outcome": "found"}) == 1
