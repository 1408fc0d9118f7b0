"""A question for the latest period, through the whole flow: taken and said, asked back, or honestly not known."""

from collections.abc import Sequence

import pytest

from contracts.codes import AnswerKind, ClarifyMode, Locale
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import FactRow
from runtime.errors import FactSourceUnavailableError, ProfileMismatchError, UnavailableError
from services.clarify.texts import wording
from services.orchestrator.flow import answer
from services.orchestrator.ports import FactPort
from tests.support.answers import ask, period, sample_profile
from tests.support.facts import row
from tests.support.inprocess import Away, ParsedInProcess, StoredFacts, ports

PROFILE = sample_profile()
PARSER = ParsedInProcess(PROFILE)
QUARTERS = [
    row("2024", "1320"),
    row("2024Q4", "311", period_type="QUARTER"),
    row("2025Q1", "322", period_type="QUARTER"),
    row("2025Q2", "999", period_type="QUARTER", review_status="pending"),
]


async def asked(question: str, facts: FactPort, *, default_entity: str | None = None) -> AnswerResult:
    return await answer(ask(question, default_entity=default_entity), ports(PARSER, facts), PROFILE)


def stored(rows: Sequence[FactRow] = QUARTERS) -> StoredFacts:
    return StoredFacts(rows)


async def test_the_newest_loaded_period_is_answered_and_said() -> None:
    result = await asked("香港最新季度的营收", stored())

    assert result.answer == (
        "【假设】“最新季度”取已入库的最新期间 2025Q1（如需收窄：2024Q4）\n"
        "ACME_HK 2025Q1 REVENUE：322 USD_M（来源：review.pptx · slide=2）"
    )
    assert result.clarification is not None
    assert result.clarification.mode is ClarifyMode.ANSWER_WITH_ASSUMPTIONS
    assert result.clarification.assumed_slots.period == period("2025Q1")


async def test_its_options_are_questions_that_work() -> None:
    result = await asked("香港最新季度的营收", stored())
    assert result.clarification is not None

    narrowed = await asked(result.clarification.options[0].question, stored())

    assert [tool.scope.period for tool in narrowed.tool_results] == [period("2024Q4")]


async def test_without_a_kind_of_period_it_is_asked_back_where_several_are_loaded() -> None:
    result = await asked("香港最新营收", stored())

    assert result.answer_kind is AnswerKind.CLARIFICATION
    assert result.clarification is not None
    assert result.clarification.narrowing_options == ("FY2024", "2025Q1")
    assert not result.tool_results


async def test_without_a_kind_of_period_the_only_loaded_one_is_taken() -> None:
    result = await asked("香港最新营收", stored(QUARTERS[:1]))

    assert [tool.scope.period for tool in result.tool_results] == [period("2024")]


async def test_the_assumed_entity_is_the_one_whose_newest_period_counts() -> None:
    result = await asked("最新季度的营收", stored(), default_entity="ACME_HK")

    assert [(tool.scope.entity, tool.scope.period) for tool in result.tool_results] == [("ACME_HK", period("2025Q1"))]
    assert result.clarification is not None
    assert result.clarification.assumed_slots.entity == "ACME_HK"


async def test_where_nothing_is_loaded_no_other_period_is_named() -> None:
    result = await asked("中国最新季度的营收", stored())

    assert result.answer_kind is AnswerKind.REFUSAL
    assert not any(char.isdigit() for char in result.answer)
    assert result.answer.startswith("查不到：REVENUE / ACME_CN")


@pytest.mark.parametrize("error", [FactSourceUnavailableError(), UnavailableError()])
async def test_without_the_fact_source_no_period_is_guessed(error: Exception) -> None:
    result = await asked("香港最新季度的营收", Away(error))

    assert result.answer == wording(Locale.ZH).facts_unavailable
    assert result.answer_kind is AnswerKind.DEGRADED


async def test_reasons_are_told_though_no_period_is_known() -> None:
    result = await asked("香港最新季度的营收为什么下降", Away(FactSourceUnavailableError()))

    assert result.answer.startswith(wording(Locale.ZH).facts_unavailable)
    assert wording(Locale.ZH).analysis in result.answer


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("竞安最新季度的营收", ClarifyMode.OUT_OF_SCOPE_ENTITY),
        ("香港最新季度的营收预算", ClarifyMode.ASK_FIRST),
        ("最新季度是多少", ClarifyMode.ASK_FIRST),
    ],
)
async def test_nothing_is_looked_up_for_a_question_that_is_not_answered(question: str, mode: ClarifyMode) -> None:
    result = await asked(question, Away(AssertionError("looked up")))

    assert result.clarification is not None
    assert result.clarification.mode is mode


async def test_another_profile_of_the_facts_worker_ends_the_ask() -> None:
    with pytest.raises(ProfileMismatchError):
        await asked("香港最新季度的营收", Away(ProfileMismatchError()))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("今天是2021年12月24日，香港去年营收是多少", "2020"),
        ("假设今天是2021-12-24。香港今年营收", "2021"),
        ("as of today, 24 December 2021, what was HK revenue last year?", "2020"),
        ("Today is Friday, December 24, 2021. HK revenue this year?", "2021"),
        ("oggi è il 24/12/2021: REVENUE di HK dell'anno scorso", "2020"),
        ("今天是2021年12月24日，香港营收", "2020"),
        ("今天是2021年12月24日，香港2019年营收", "2019"),
    ],
)
async def test_a_question_may_say_which_day_is_today(question: str, expected: str) -> None:
    result = await asked(question, stored())

    assert [tool.scope.period for tool in result.tool_results] == [period(expected)]
    assert result.clarification is not None
    assert "2021-12-24" in (result.clarification.assumption_note or "")


@pytest.mark.parametrize(
    "question",
    [
        "今天是2021年2月30日，香港去年营收",
        "今天是2021年12月24日，今天是2020年12月24日，香港去年营收",
        "today is 03/04/2021, HK revenue last year",
        "今天香港营收",
    ],
)
async def test_a_day_that_is_not_clear_is_asked_back(question: str) -> None:
    result = await asked(question, stored())

    assert result.answer_kind is AnswerKind.CLARIFICATION
