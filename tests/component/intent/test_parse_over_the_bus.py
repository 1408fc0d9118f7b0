"""`ragspine.v1.intent.parse` through the bus of the process: typed in, typed out."""

from datetime import date

import pytest

from contracts import subjects
from contracts.codes import ErrorCode, Route
from contracts.v1.base import InternalMessage
from contracts.v1.intent import ParsedIntent, ParseIntent
from runtime.deadline import Deadline
from runtime.errors import AskError
from runtime.observer import Observer
from runtime.testing import InMemoryBus, recorded_spans
from services.intent.handlers import make_router
from services.intent.observing import Observed
from services.intent.parser import RuleIntentParser
from tests.support.profiles import acme

TODAY = date(2025, 5, 20)


async def parse(request: InternalMessage, observer: Observer | None = None) -> ParsedIntent:
    observer = observer or Observer()
    router = make_router(RuleIntentParser(acme()), lambda: TODAY, Observed(observer.metrics))
    bus = InMemoryBus(router, observer=observer)
    return await bus.request(subjects.INTENT_PARSE, request, ParsedIntent, deadline=Deadline.after(5))


async def test_a_question_becomes_slots() -> None:
    parsed = await parse(ParseIntent(question="香港2024代理渠道营收", reference_date=date(2023, 1, 1)))

    assert (parsed.route, parsed.metrics, parsed.entities) == (Route.STRUCTURED, ("REVENUE",), ("ACME_HK",))
    assert (parsed.channels, parsed.residues, parsed.profile_digest) == (("AGENCY",), (), acme().digest())


async def test_without_a_reference_date_the_worker_asks_its_own_clock() -> None:
    parsed = await parse(ParseIntent(question="去年香港营收"))

    assert [period.value for period in parsed.periods] == ["2024"]


async def test_the_reference_date_of_the_request_counts() -> None:
    parsed = await parse(ParseIntent(question="去年香港营收", reference_date=date(2022, 3, 1)))

    assert [period.value for period in parsed.periods] == ["2021"]


async def test_control_characters_are_removed_at_the_door() -> None:
    parsed = await parse(ParseIntent(question="香港2024营收\x00"))

    assert (parsed.metrics, parsed.residues) == (("REVENUE",), ())


class _Bare(InternalMessage):
    question: str


@pytest.mark.parametrize("question", ["", "x" * 2_001])
async def test_a_question_out_of_bounds_is_refused_by_name(question: str) -> None:
    with pytest.raises(AskError) as caught:
        await parse(_Bare(question=question))

    assert caught.value.code is ErrorCode.INVALID_REQUEST
    assert [problem.field for problem in caught.value.problems] == ["question"]


async def test_a_parse_leaves_its_route_and_counts_behind_and_no_word() -> None:
    with recorded_spans() as (telemetry, spans):
        observer = Observer(telemetry=telemetry)
        await parse(ParseIntent(question="香港2024营收预算和竞安"), observer)
        marks = dict(spans()[-1].attributes or {})

    assert marks["ragspine.route"] == "structured"
    assert (marks["ragspine.residues"], marks["ragspine.external_entities"]) == (1, 1)
    text = observer.metrics.render().decode()
    assert 'ragspine_parses_total{route="structured"} 1.0' in text
    assert 'ragspine_residues_total{kind="qualifier"} 1.0' in text
    assert "预算" not in text + str(marks)
