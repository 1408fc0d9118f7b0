"""The orchestrator's router on a bus in memory: deadlines, frozen neighbours, and what an answer leaves behind."""

import asyncio

import pytest

from contracts import subjects
from contracts.codes import AnswerKind, GuardReason, Route
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import FactOutcomes, QueryFacts
from contracts.v1.intent import ParsedIntent, ParseIntent
from contracts.v1.narrative import Passages, SearchPassages
from runtime.deadline import Deadline, current_deadline
from runtime.errors import ProfileMismatchError, TooManySubtasksError, UnavailableError
from runtime.metrics import Metrics
from runtime.observer import Observer
from runtime.testing import InMemoryBus, recorded_spans
from services.orchestrator.bus_ports import HopBudgets, bus_ports
from services.orchestrator.handlers import make_router
from services.orchestrator.ports import Ports
from services.orchestrator.reporting import Reporter
from tests.support.answers import ask, found, intent, not_found, sample_profile
from tests.support.inprocess import sample_writer

PROFILE = sample_profile()
SHORT = HopBudgets(intent_seconds=0.1, facts_seconds=0.1, narrative_seconds=0.1)
BEYOND_EVERY_DEADLINE = HopBudgets(intent_seconds=60, facts_seconds=60, narrative_seconds=60)


class Stack:
    """The worker between fakes that say `found` and can be frozen."""

    def __init__(self, observer: Observer) -> None:
        self.bus = InMemoryBus(observer=observer)
        self.metrics = Metrics()
        self.budgets = SHORT
        self.slots = intent()
        self.frozen: set[str] = set()
        self.seconds_left: dict[str, float] = {}
        self.bus.include_router(make_router(PROFILE, self.ports_of_this_ask, Reporter(self.metrics)))
        self.bus.serve(subjects.INTENT_PARSE, self._parse)
        self.bus.serve(subjects.FACTS_QUERY, self._query)
        self.bus.serve(subjects.NARRATIVE_SEARCH, self._search)

    async def ask(self, question: str = "香港2024营收", *, seconds: float = 5.0) -> AnswerResult:
        return await self.bus.request(
            subjects.ORCHESTRATOR_ANSWER, ask(question), AnswerResult, deadline=Deadline.after(seconds)
        )

    def ports_of_this_ask(self) -> Ports:
        deadline = current_deadline()
        assert deadline is not None
        return bus_ports(self.bus, deadline, self.budgets, sample_writer())

    async def _parse(self, request: ParseIntent) -> ParsedIntent:
        await self._reached(subjects.INTENT_PARSE)
        return self.slots

    async def _query(self, request: QueryFacts) -> FactOutcomes:
        await self._reached(subjects.FACTS_QUERY)
        return FactOutcomes(
            outcomes=tuple(
                found(query, "731.25") if query.period.value == "2024" else not_found(query)
                for query in request.queries
            )
        )

    async def _search(self, request: SearchPassages) -> Passages:
        await self._reached(subjects.NARRATIVE_SEARCH)
        return Passages(material_loaded=False)

    async def _reached(self, subject: str) -> None:
        deadline = current_deadline()
        self.seconds_left[subject] = deadline.left() if deadline else -1
        if subject in self.frozen:
            await asyncio.Event().wait()


@pytest.fixture
def stack() -> Stack:
    return Stack(Observer())


async def test_an_ask_is_answered_over_the_bus(stack: Stack) -> None:
    result = await stack.ask()

    assert result.answer == "ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）"
    assert stack.bus.requests[1:] == [subjects.INTENT_PARSE, subjects.FACTS_QUERY]


async def test_a_frozen_intent_worker_is_unavailable_and_not_a_missed_deadline(stack: Stack) -> None:
    stack.frozen.add(subjects.INTENT_PARSE)

    with pytest.raises(UnavailableError):
        await stack.ask()


async def test_frozen_facts_degrade_within_the_deadline(stack: Stack) -> None:
    stack.budgets = BEYOND_EVERY_DEADLINE
    stack.frozen.add(subjects.FACTS_QUERY)

    result = await stack.ask(seconds=0.8)

    assert result.answer_kind is AnswerKind.DEGRADED
    assert not any(char.isdigit() for char in result.answer)


async def test_frozen_facts_degrade_long_before_a_distant_deadline(stack: Stack) -> None:
    stack.frozen.add(subjects.FACTS_QUERY)

    async with asyncio.timeout(5):
        result = await stack.ask(seconds=60)

    assert result.answer_kind is AnswerKind.DEGRADED


async def test_a_frozen_narrative_worker_leaves_the_number(stack: Stack) -> None:
    stack.slots = intent(route=Route.COMPOSITE)
    stack.frozen.add(subjects.NARRATIVE_SEARCH)

    result = await stack.ask("香港2024营收为什么下降")

    assert "731.25" in result.answer
    assert result.answer_kind is AnswerKind.NORMAL


async def test_a_worker_that_is_not_there_at_all_is_unavailable(stack: Stack) -> None:
    lonely = InMemoryBus(make_router(PROFILE, stack.ports_of_this_ask, Reporter(Metrics())))
    stack.bus = lonely

    with pytest.raises(UnavailableError):
        await stack.ask()


async def test_the_parser_leaves_time_for_the_look_up(stack: Stack) -> None:
    stack.budgets = BEYOND_EVERY_DEADLINE

    await stack.ask(seconds=10)

    parsing, looking_up = stack.seconds_left[subjects.INTENT_PARSE], stack.seconds_left[subjects.FACTS_QUERY]
    assert 8.0 < parsing < 9.0
    assert 9.0 < looking_up < 10.0


async def test_typed_errors_reach_the_caller(stack: Stack) -> None:
    stack.slots = intent(periods=[str(year) for year in range(2000, 2025)])
    with pytest.raises(TooManySubtasksError):
        await stack.ask()

    stack.slots = intent(profile_digest="another")
    with pytest.raises(ProfileMismatchError):
        await stack.ask()


async def test_answers_are_counted_by_route_kind_and_guard(stack: Stack) -> None:
    await stack.ask()
    stack.slots = intent(periods=["2025"])
    await stack.ask()

    lines = stack.metrics.render().decode()

    assert 'ragspine_asks_total{kind="normal",locale="zh",route="structured"} 1.0' in lines
    assert 'ragspine_asks_total{kind="refusal",locale="zh",route="structured"} 1.0' in lines
    assert 'ragspine_clarifications_total{mode="none"} 2.0' in lines
    assert "ragspine_guard_triggered_total 1.0" in lines
    assert 'ragspine_refusals_total{reason="not_found"} 1.0' in lines


async def test_the_span_of_an_answer_carries_codes_and_counts_only() -> None:
    with recorded_spans() as (telemetry, finished):
        stack = Stack(Observer(Metrics(), telemetry))
        stack.slots = intent(periods=["2025"])
        await stack.ask()
        spans = [dict(span.attributes or {}) for span in finished() if span.name == subjects.ORCHESTRATOR_ANSWER]

    [marks] = [span for span in spans if "ragspine.route" in span]
    assert marks["ragspine.guard.fabrication_guard_triggered"] is True
    assert (marks["ragspine.route"], marks["ragspine.answer_kind"]) == ("structured", "refusal")
    assert (marks["ragspine.asked"], marks["ragspine.not_found"]) == (1, 1)
    assert marks["ragspine.profile_digest"] == PROFILE.digest()
    assert not any("ACME" in str(value) or "营收" in str(value) for value in marks.values())


def test_corrections_of_a_model_are_counted_by_reason() -> None:
    metrics = Metrics()
    result = AnswerResult.model_validate(
        {
            "request_id": "test",
            "answer": "x",
            "answer_plain": "x",
            "route": "structured",
            "answer_kind": "refusal",
            "clarification": None,
            "guard": {"fabrication_guard_triggered": True, "reasons": {GuardReason.SCOPE_DRIFT: 3}},
            "locale": "zh",
        }
    )

    Reporter(metrics).report(result, "0123456789abcdef")

    assert 'ragspine_guard_reasons_total{reason="scope_drift"} 3.0' in metrics.render().decode()
