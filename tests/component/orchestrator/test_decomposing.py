"""Splitting a question, through the real parser and the whole flow: whatever a model proposes, the guards hold."""

import json
from collections.abc import Sequence

import pytest

from contracts.codes import AnswerKind, ClarifyMode, GuardReason, Route
from contracts.v1.ask import AnswerResult, HistoryTurn
from services.orchestrator.conversation import Instructions, Turn, UserText
from services.orchestrator.decomposing import MAX_PARTS, read_questions
from services.orchestrator.flow import answer
from tests.support.answers import ask, found, not_found, sample_profile, scope
from tests.support.inprocess import FailingAfter, FixedFacts, Material, ParsedInProcess, Scripted, passage, ports

PROFILE = sample_profile()
INTENT = ParsedInProcess(PROFILE)
GROUP = scope("2024", entity="ACME_GROUP")
FACTS = FixedFacts([found(scope("2024"), "731.25"), found(GROUP, "2210.4", doc="group.xlsx")])
BOTH = "先看香港2024营收再看集团2024营收"


async def split_into(question: str, *questions: object, facts: FixedFacts = FACTS) -> AnswerResult:
    model = Scripted([Turn(text=json.dumps(questions, ensure_ascii=False))])
    return await answer(ask(question, decompose=True), ports(INTENT, facts, model=model), PROFILE)


async def test_each_part_is_answered_by_the_whole_flow_and_they_stand_one_below_the_other() -> None:
    result = await split_into(BOTH, "香港2024营收", "集团2024营收")

    assert result.route is Route.DECOMPOSED
    assert result.answer == (
        "ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）\n\n"
        "ACME_GROUP FY2024 REVENUE：2210.4 USD_M（来源：group.xlsx · sheet=KPI!R7）"
    )
    assert [source.doc for source in result.sources] == ["hk_pack.xlsx", "group.xlsx"]
    assert (result.answer_kind, result.tool_status_summary.found) == (AnswerKind.NORMAL, 2)


async def test_a_part_that_is_not_found_does_not_hide_behind_one_that_is() -> None:
    facts = FixedFacts([found(scope("2024"), "731.25"), not_found(scope("2025"))])

    result = await split_into("香港2024营收与香港2025营收", "香港2024营收", "香港2025营收", facts=facts)

    assert "731.25" in result.answer
    assert "查不到：REVENUE / ACME_HK / 2025" in result.answer
    assert result.answer_kind is AnswerKind.NORMAL


async def test_the_part_about_a_competitor_is_refused_and_the_other_answered() -> None:
    result = await split_into("香港2024营收如何，竞安呢", "香港2024营收", "竞安2024营收")

    assert result.route is Route.DECOMPOSED
    assert "731.25" in result.answer
    assert "竞安(Jingan)" in result.answer


async def test_a_question_about_a_competitor_alone_reaches_no_model() -> None:
    model = Scripted([Turn(text='["集团2024营收", "香港2024营收"]')])

    result = await answer(ask("竞安2024营收", decompose=True), ports(INTENT, FACTS, model=model), PROFILE)

    assert model.heard == []
    assert result.clarification is not None
    assert result.clarification.mode is ClarifyMode.OUT_OF_SCOPE_ENTITY


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("香港2024营收", ["香港2024营收", "集团2024营收"]),
        ("香港2024营收", ["香港2024营收", "香港2023营收"]),
        ("香港2024营收", ["香港2024营收", "香港2024净资产收益率"]),
        ("香港2024营收", ["香港2024营收", "竞安2024营收"]),
        ("香港2024营收", ["香港2024营收", "火星公司2024营收"]),
        (BOTH, ["香港2024营收", "集团营收"]),
        (BOTH, ["香港2024营收", "2024营收"]),
        (BOTH, ["香港2024营收", "2024香港营收"]),
        ("香港2024营收如何，竞安呢", ["香港2024营收", "2024年香港的营收"]),
        ("香港2024营收如何，竞安呢", ["竞安2024营收", "2024营收"]),
        ("香港2024营收和集团2024营收预算", ["香港2024营收", "集团2024营收"]),
        ("香港2024代理人渠道营收和集团2024代理人渠道营收", ["香港2024营收", "集团2024营收"]),
        ("香港2024营收为什么下降，集团2024营收呢", ["香港2024营收", "集团2024营收"]),
    ],
)
async def test_a_split_that_adds_or_loses_something_is_no_split(question: str, parts: Sequence[str]) -> None:
    split, plain = await split_into(question, *parts), await split_into(question)

    assert split.route is not Route.DECOMPOSED
    assert split == plain


@pytest.mark.parametrize(
    "reply", ["{}", "[]", "x", "", '["香港2024营收"]', "[1, 2]", '["a", null]', "[" * 10_000, "null"]
)
async def test_an_unusable_reply_leaves_the_question_as_it_is(reply: str) -> None:
    model = Scripted([Turn(text=reply)])

    result = await answer(ask("香港2024营收", decompose=True), ports(INTENT, FACTS, model=model), PROFILE)

    assert (result.route, result.answer_kind) == (Route.STRUCTURED, AnswerKind.NORMAL)


async def test_a_failing_model_leaves_the_question_as_it_is() -> None:
    these = ports(INTENT, FACTS, model=FailingAfter(), facts_on_failure=True)

    assert (await answer(ask(BOTH, decompose=True), these, PROFILE)).route is Route.STRUCTURED


async def test_without_being_asked_to_no_question_is_split() -> None:
    model = Scripted([Turn(text='["香港2024营收", "集团2024营收"]')])

    assert (await answer(ask(BOTH), ports(INTENT, FACTS, model=model), PROFILE)).route is Route.STRUCTURED


async def test_history_cannot_add_to_what_is_asked() -> None:
    model = Scripted([Turn(text='["香港2024营收", "集团2024营收"]')])
    question = ask(BOTH, decompose=True).model_copy(update={"history": (HistoryTurn(role="user", text="聊聊天气"),)})

    await answer(question, ports(INTENT, FACTS, model=model), PROFILE)

    (first, *_) = model.heard
    assert [type(message) for message in first] == [Instructions, UserText]
    assert "天气" not in str(first)


async def test_a_part_of_why_is_told_from_the_material() -> None:
    reply = json.dumps(["香港2024营收", "香港2024营收为什么下降"], ensure_ascii=False)
    model = Scripted([Turn(text=reply), Turn(), Turn(), Turn(text="台风季停业。")])
    these = ports(INTENT, FACTS, narrative=Material([passage("香港营收下降主因是台风季停业。")]), model=model)

    result = await answer(ask("香港2024营收是多少，为什么下降", decompose=True), these, PROFILE)

    assert result.route is Route.DECOMPOSED
    assert result.answer.count("731.25") == 2
    assert "台风季停业。" in result.answer


MISSING = FixedFacts([not_found(scope("2024")), found(GROUP, "2210.4", doc="group.xlsx")])
LOST = "香港营收为2555百万美元。"


@pytest.mark.parametrize(
    "parts",
    [["香港2024营收", "集团2024营收为什么下降"], ["集团2024营收为什么下降", "香港2024营收"]],
    ids=["refused before", "refused after"],
)
async def test_no_part_tells_the_number_that_another_part_refuses(parts: Sequence[str]) -> None:
    why = [Turn(), Turn(text=f"{LOST}台风季停业。")]
    turns = [Turn(), *why] if parts[0] == "香港2024营收" else [*why, Turn()]
    model = Scripted([Turn(text=json.dumps(parts, ensure_ascii=False)), *turns])
    material = Material([passage(f"{LOST}台风季停业。")])
    these = ports(INTENT, MISSING, narrative=material, model=model)

    result = await answer(ask("香港2024营收，集团2024营收为什么下降", decompose=True), these, PROFILE)

    assert result.route is Route.DECOMPOSED
    assert "2210.4" in result.answer
    assert "台风季停业" in result.answer
    assert "2555" not in result.answer
    assert result.guard.reasons[GuardReason.PROSE_NUMBER] >= 1


async def test_a_number_about_something_else_stays_beside_a_refusal() -> None:
    told = "集团门店客流回落12%。"
    parts = ["香港2024营收", "集团2024营收为什么下降"]
    model = Scripted([Turn(text=json.dumps(parts, ensure_ascii=False)), Turn(), Turn(), Turn(text=told)])
    these = ports(INTENT, MISSING, narrative=Material([passage(told)]), model=model)

    result = await answer(ask("香港2024营收，集团2024营收为什么下降", decompose=True), these, PROFILE)

    assert "12%" in result.answer


def test_a_fence_around_the_list_is_no_part_of_it() -> None:
    assert read_questions('```json\n["a", "b", "a"]\n```') == ("a", "b")


def test_more_parts_than_anybody_asks_for_are_none() -> None:
    assert read_questions(json.dumps([f"q{place}" for place in range(MAX_PARTS + 1)])) == ()
