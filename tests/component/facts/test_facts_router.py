"""The router with a scripted store: what is asked of it, what travels back, and what is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from contracts import subjects
from contracts.codes import FactStatus, PeriodType, ReviewStatus
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactOutcomes,
    FactSeries,
    FactsLoaded,
    FactsWithdrawn,
    FindNewest,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    NewestPeriods,
    QueryFacts,
    StoredFact,
    WithdrawFacts,
)
from contracts.v1.periods import Period
from runtime.deadline import Deadline
from runtime.endpoint import MAX_MESSAGE_BYTES
from runtime.errors import FactSourceUnavailableError, InvalidRequestError, ProfileMismatchError
from runtime.metrics import Metrics
from runtime.testing import InMemoryBus
from services.facts.handlers import make_router
from services.facts.lookup import Line
from services.facts.observing import Observed
from services.facts.ports import CodeCounts, Contradictory, Scope, Series
from services.facts.rows import Row
from services.facts.service import FactService
from services.facts.vocabulary import Vocabulary
from tests.support.answers import sample_profile, scope
from tests.support.facts import row

PROFILE = sample_profile()


def stored(id: int, *, locator: str = "slide=2") -> StoredFact:
    return StoredFact(
        id=id,
        metric_code="REVENUE",
        entity="ACME_HK",
        period_type=PeriodType.FY,
        period="2024",
        channel="TOTAL",
        value=Decimal("1320.10"),
        unit="USD_M",
        source_doc_id="review.pptx",
        source_locator=locator,
        valid_as_of=None,
        review_status=ReviewStatus.APPROVED,
        withdrawn=False,
        ingested_at=datetime(2025, 5, 1, tzinfo=UTC),
    )


@dataclass
class Script:
    """A store that answers as it is told and remembers what it was asked."""

    facts: list[StoredFact] = field(default_factory=list[StoredFact])
    reply: FactsLoaded | list[Contradictory] = field(
        default_factory=lambda: FactsLoaded(received=1, inserted=1, updated=0, unchanged=0)
    )
    is_up: bool = True
    asked: list[Sequence[tuple[int, Scope]]] = field(default_factory=list[Sequence[tuple[int, Scope]]])
    rows: list[Row] = field(default_factory=list[Row])
    series: list[Sequence[tuple[int, Series]]] = field(default_factory=list[Sequence[tuple[int, Series]]])
    periods: dict[int, list[Period]] = field(default_factory=dict[int, list[Period]])
    limits: list[int] = field(default_factory=list[int])

    async def lines(self, asked: Sequence[tuple[int, Scope]]) -> Mapping[int, Sequence[Line]]:
        if not self.is_up:
            raise FactSourceUnavailableError
        self.asked.append(asked)
        return {}

    async def newest_periods(
        self, asked: Sequence[tuple[int, Series]], kinds: Sequence[PeriodType], limit: int
    ) -> Mapping[int, Sequence[Period]]:
        if not self.is_up:
            raise FactSourceUnavailableError
        self.series.append(asked)
        return self.periods

    async def page(
        self, metrics: Sequence[str] | None, entity: str | None, period: str | None, *, after: int, limit: int
    ) -> list[StoredFact]:
        self.limits.append(limit)
        return [fact for fact in self.facts if fact.id > after][:limit]

    async def counts(self) -> CodeCounts:
        return CodeCounts()

    async def newest(self, metrics: Sequence[str], entities: Sequence[str], kinds: Sequence[PeriodType]) -> list[Scope]:
        return []

    async def load(self, rows: Sequence[Row]) -> FactsLoaded | list[Contradictory]:
        self.rows.extend(rows)
        return self.reply

    async def withdraw(self, source_doc_id: str) -> int:
        return 3


@dataclass
class Worker:
    bus: InMemoryBus
    script: Script
    metrics: Metrics
    changes: list[None] = field(default_factory=list[None])


@pytest.fixture
def worker() -> Worker:
    script, metrics = Script(), Metrics()
    worker = Worker(InMemoryBus(), script, metrics)
    service = FactService(PROFILE, Vocabulary.of(PROFILE), script, script)
    worker.bus.include_router(make_router(service, Observed(metrics), lambda: worker.changes.append(None)))
    return worker


def _soon() -> Deadline:
    return Deadline.after(5)


async def _query(worker: Worker, *parts: str) -> FactOutcomes:
    queries = tuple(scope("2024", entity=entity) for entity in parts)
    message = QueryFacts(queries=queries, profile_digest=PROFILE.digest())
    return await worker.bus.request(subjects.FACTS_QUERY, message, FactOutcomes, deadline=_soon())


async def test_a_whole_ask_is_one_question_to_the_store(worker: Worker) -> None:
    found = await _query(worker, "ACME_HK", "ACME_XX", "ACME_CN")

    assert [outcome.status for outcome in found.outcomes] == [
        FactStatus.NOT_FOUND,
        FactStatus.UNRECOGNIZED_PARAM,
        FactStatus.NOT_FOUND,
    ]
    ((first, second),) = worker.script.asked
    assert (first[0], first[1].entity, second[0], second[1].entity) == (0, "ACME_HK", 2, "ACME_CN")
    assert b'status="not_found"} 2.0' in worker.metrics.render()


async def test_unknown_scopes_alone_do_not_reach_the_store(worker: Worker) -> None:
    await _query(worker, "ACME_XX")

    assert worker.script.asked == []


async def test_a_store_that_is_away_is_never_not_found(worker: Worker) -> None:
    worker.script.is_up = False

    with pytest.raises(FactSourceUnavailableError):
        await _query(worker, "ACME_HK")


async def test_another_profile_is_refused(worker: Worker) -> None:
    message = QueryFacts(queries=(scope("2024"),), profile_digest="another")

    with pytest.raises(ProfileMismatchError):
        await worker.bus.request(subjects.FACTS_QUERY, message, FactOutcomes, deadline=_soon())


async def test_a_load_wakes_the_announcing_and_a_refused_one_does_not(worker: Worker) -> None:
    loaded = await worker.bus.request(subjects.FACTS_LOAD, LoadFacts(facts=(row(),)), FactsLoaded, deadline=_soon())
    with pytest.raises(InvalidRequestError):
        await worker.bus.request(
            subjects.FACTS_LOAD, LoadFacts(facts=(row(entity="ACME_XX"),)), FactsLoaded, deadline=_soon()
        )

    assert loaded.inserted == 1
    assert len(worker.script.rows) == len(worker.changes) == 1


async def test_a_contradiction_names_both_rows(worker: Worker) -> None:
    worker.script.reply = [Contradictory(row=1, first=0)]

    with pytest.raises(InvalidRequestError) as refused:
        await worker.bus.request(
            subjects.FACTS_LOAD, LoadFacts(facts=(row(), row(value="2"))), FactsLoaded, deadline=_soon()
        )

    (problem,) = refused.value.problems
    assert problem.field == "facts.1"
    assert "facts.0" in problem.reason
    assert worker.changes == []


async def test_a_thousand_bad_rows_are_all_named(worker: Worker) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        await worker.bus.request(
            subjects.FACTS_LOAD, LoadFacts(facts=(row(entity="ACME_XX"),) * 1_000), FactsLoaded, deadline=_soon()
        )

    assert len(refused.value.problems) == 1_000


async def test_more_problems_than_a_reply_lists_are_counted(worker: Worker) -> None:
    rows = (row(entity="ACME_XX", channel="BROKER"),) * 1_000

    with pytest.raises(InvalidRequestError, match="the first 1000 of 2000 problems"):
        await worker.bus.request(subjects.FACTS_LOAD, LoadFacts(facts=rows), FactsLoaded, deadline=_soon())


async def test_a_withdrawal_says_how_much_it_hid(worker: Worker) -> None:
    withdrawn = await worker.bus.request(
        subjects.FACTS_WITHDRAW, WithdrawFacts(source_doc_id="review.pptx"), FactsWithdrawn, deadline=_soon()
    )

    assert withdrawn.withdrawn == 3
    assert len(worker.changes) == 1


async def test_a_page_of_the_longest_facts_still_fits_into_a_message(worker: Worker) -> None:
    worker.script.facts = [stored(id, locator="位" * 1_024) for id in range(1, 501)]
    seen: list[int] = []
    after: int | None = None
    while True:
        wanted = ListFacts(limit=500, after=after)
        page = await worker.bus.request(subjects.FACTS_LIST, wanted, FactList, deadline=_soon())
        assert len(page.model_dump_json().encode()) < MAX_MESSAGE_BYTES
        seen += [fact.id for fact in page.facts]
        after = page.next_after
        if after is None:
            break

    assert seen == list(range(1, 501))


async def test_an_empty_store_has_a_catalogue_without_examples(worker: Worker) -> None:
    found = await worker.bus.request(subjects.FACTS_CATALOGUE, GetCatalogue(), Catalogue, deadline=_soon())

    assert [item.code for item in found.metrics] == list(PROFILE.metrics)
    assert (found.periods, found.examples) == ((), ())


def _series(*metrics: str) -> FindNewest:
    series = tuple(FactSeries(metric=metric, entity="ACME_HK") for metric in metrics)
    return FindNewest(series=series, kinds=(PeriodType.QUARTER,), profile_digest=PROFILE.digest())


async def test_the_newest_periods_of_each_series_come_in_the_order_asked(worker: Worker) -> None:
    quarters = [Period(type=PeriodType.QUARTER, value=value) for value in ("2024Q4", "2025Q1", "2024Q4")]
    worker.script.periods = {1: quarters}

    newest = await worker.bus.request(
        subjects.FACTS_NEWEST, _series("NOPE", "REVENUE"), NewestPeriods, deadline=_soon()
    )

    assert [[period.value for period in periods] for periods in newest.series] == [[], ["2025Q1", "2024Q4"]]
    assert [number for number, _ in worker.script.series[0]] == [1]


async def test_no_period_is_named_without_the_store_or_for_another_profile(worker: Worker) -> None:
    other = _series("REVENUE").model_copy(update={"profile_digest": "0" * 16})
    with pytest.raises(ProfileMismatchError):
        await worker.bus.request(subjects.FACTS_NEWEST, other, NewestPeriods, deadline=_soon())
    worker.script.is_up = False

    with pytest.raises(FactSourceUnavailableError):
        await worker.bus.request(subjects.FACTS_NEWEST, _series("REVENUE"), NewestPeriods, deadline=_soon())
