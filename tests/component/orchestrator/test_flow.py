"""The request flow with every neighbour replaced: the order of the steps, and one test for each way it can fail."""

import pytest

from contracts.codes import AnswerKind, ClarifyMode, GuardReason, Locale, NothingFound, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult, HistoryTurn
from contracts.v1.facts import FactOutcome
from contracts.v1.intent import ParsedIntent
from runtime.errors import (
    AskError,
    DeadlineExceededError,
    FactSourceUnavailableError,
    InternalError,
    InvalidRequestError,
    OverloadedError,
    ProfileMismatchError,
    TooManySubtasksError,
    UnavailableError,
)
from services.clarify.texts import wording
from services.orchestrator.flow import answer
from services.orchestrator.ports import Ports
from tests.support.answers import ask, found, intent, not_found, residue, sample_profile, scope
from tests.support.inprocess import Away, FailingAfter, FixedFacts, FixedIntent, NoMaterial, Scripted, asking_for, ports

PROFILE = sample_profile()
HK_2024 = scope("2024")
SAY = wording(Locale.ZH)
AWAY = [
    UnavailableError(),
    DeadlineExceededError(),
    OverloadedError(),
    FactSourceUnavailableError(),
    InternalError(),
]


async def answered(
    slots: ParsedIntent, *outcomes: FactOutcome, question: str = "香港2024营收", locale: Locale | None = Locale.ZH
) -> AnswerResult:
    return await answer(ask(question, locale=locale), ports(FixedIntent(slots), FixedFacts(outcomes)), PROFILE)


async def asked_of(these: Ports, question: str = "香港2024营收") -> AnswerResult:
    return await answer(ask(question), these, PROFILE)


async def test_a_found_number_is_answered_with_its_source() -> None:
    result = await answered(intent(), found(HK_2024, "731.25"))

    assert result.answer == "ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）"
    assert result.answer_plain == "ACME_HK FY2024 REVENUE：731.25 USD_M"
    assert (result.route, result.answer_kind) == (Route.STRUCTURED, AnswerKind.NORMAL)
    assert [source.doc for source in result.sources] == ["hk_pack.xlsx"]
    assert result.tool_status_summary.found == 1
    assert result.clarification is not None
    assert result.clarification.mode is ClarifyMode.NONE
    assert not result.guard.fabrication_guard_triggered


async def test_a_missing_number_is_refused_and_the_guard_says_so() -> None:
    result = await answered(intent(), not_found(HK_2024))

    assert result.answer.startswith("查不到：REVENUE / ACME_HK / 2024（渠道 TOTAL）")
    assert result.answer_kind is AnswerKind.REFUSAL
    assert result.sources == ()
    assert result.guard.fabrication_guard_triggered


async def test_several_scopes_are_looked_up_in_one_batch_without_a_model() -> None:
    facts = FixedFacts([found(scope("2023"), "650"), found(HK_2024, "731.25")])
    model = Scripted()

    result = await asked_of(ports(FixedIntent(intent(periods=["2023", "2024"])), facts, model=model))

    assert [batch.queries for batch in facts.asked] == [(scope("2023"), HK_2024)]
    assert result.answer.endswith("对比：FY2024 较 FY2023 +81.25 USD_M（+12.5%）")
    assert model.heard == []


async def test_a_question_back_comes_before_any_look_up() -> None:
    facts, narrative = FixedFacts(), NoMaterial()
    slots = intent(route=Route.COMPOSITE, metrics=[])

    result = await asked_of(ports(FixedIntent(slots), facts, narrative=narrative), "去年集团是几个")

    assert (result.answer_kind, result.route) == (AnswerKind.CLARIFICATION, Route.COMPOSITE)
    assert result.clarification is not None
    assert result.answer == result.answer_plain == result.clarification.question
    assert (facts.asked, narrative.asked) == ([], [])


async def test_a_refusal_comes_before_any_look_up() -> None:
    facts, narrative = FixedFacts(), NoMaterial()

    result = await asked_of(
        ports(FixedIntent(intent(route=Route.COMPOSITE)), facts, narrative=narrative), "香港和竞安2024营收对比"
    )

    assert result.answer_kind is AnswerKind.REFUSAL
    assert result.clarification is not None
    assert result.clarification.mode is ClarifyMode.OUT_OF_SCOPE_ENTITY
    assert (facts.asked, narrative.asked) == ([], [])


async def test_assumptions_stand_above_the_answer_and_are_looked_up() -> None:
    group = scope("2024", entity="ACME_GROUP")

    result = await answered(intent(entities=[], periods=[]), found(group, "2210.4"), question="营收给我看看")

    banner, line = result.answer.split("\n")
    assert banner.startswith("【假设】")
    assert line.startswith("ACME_GROUP FY2024 REVENUE：2210.4 USD_M")
    assert result.answer_plain.startswith("【假设】")
    assert result.clarification is not None
    assert result.clarification.options[0].question == "ACME_HK 营收给我看看"


async def test_a_narrative_question_says_that_there_is_no_material() -> None:
    facts = FixedFacts()
    slots = intent(route=Route.NARRATIVE, metrics=[], periods=[])

    result = await asked_of(ports(FixedIntent(slots), facts), "香港门店客流为什么回落")

    assert (result.answer, result.answer_kind) == (SAY.no_material, AnswerKind.REFUSAL)
    assert result.route is Route.NARRATIVE
    assert facts.asked == []


async def test_a_composite_answer_keeps_its_heading_over_the_sentence_that_there_is_no_material() -> None:
    result = await answered(intent(route=Route.COMPOSITE), found(HK_2024, "731.25"), question="香港2024营收为什么下降")

    assert result.answer == (
        f"ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）\n\n归因分析：\n{SAY.no_material}"
    )
    assert (result.route, result.answer_kind) == (Route.COMPOSITE, AnswerKind.NORMAL)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (NothingFound.NO_MATERIAL, SAY.no_material),
        (NothingFound.NOTHING_IN_SCOPE, SAY.no_match),
        (NothingFound.NO_MATCH, SAY.no_answer),
    ],
)
async def test_why_there_is_no_reason_is_said(reason: NothingFound, text: str) -> None:
    nothing = NoMaterial(material_loaded=True, nothing_found=reason)

    result = await asked_of(ports(FixedIntent(intent(route=Route.NARRATIVE)), narrative=nothing))

    assert (result.answer, result.answer_kind) == (text, AnswerKind.REFUSAL)


async def test_material_without_an_answer_is_not_called_missing() -> None:
    slots = intent(route=Route.NARRATIVE)

    result = await asked_of(ports(FixedIntent(slots), narrative=NoMaterial(material_loaded=True)))

    assert (result.answer, result.answer_kind) == (SAY.no_match, AnswerKind.REFUSAL)


async def test_retrieval_is_asked_for_the_named_entities_and_periods() -> None:
    narrative = NoMaterial()

    await asked_of(ports(FixedIntent(intent(route=Route.NARRATIVE)), narrative=narrative))

    [search] = narrative.asked
    assert (search.entities, [period.value for period in search.periods]) == (("ACME_HK",), ["2024"])


@pytest.mark.parametrize("error", AWAY, ids=lambda error: error.code)
async def test_an_unreachable_fact_source_degrades_and_is_never_called_not_found(error: AskError) -> None:
    result = await asked_of(ports(FixedIntent(intent()), Away(error)))

    assert (result.answer, result.answer_kind) == (SAY.facts_unavailable, AnswerKind.DEGRADED)
    assert result.tool_results == ()
    assert not result.guard.fabrication_guard_triggered


async def test_an_unreachable_fact_source_degrades_a_batch_as_well() -> None:
    result = await asked_of(ports(FixedIntent(intent(periods=["2023", "2024"])), Away(UnavailableError())))

    assert (result.answer, result.answer_kind) == (SAY.facts_unavailable, AnswerKind.DEGRADED)


async def test_a_scope_that_the_reply_forgot_is_open_and_its_sister_is_answered() -> None:
    result = await answered(intent(periods=["2023", "2024"]), found(HK_2024, "731.25"))

    assert "- ACME_HK FY2023 REVENUE：事实数据源暂时不可用" in result.answer
    assert "731.25" in result.answer
    assert result.answer_kind is AnswerKind.NORMAL


@pytest.mark.parametrize("error", AWAY, ids=lambda error: error.code)
async def test_a_dead_narrative_worker_takes_no_number_away(error: AskError) -> None:
    facts = FixedFacts([found(HK_2024, "731.25")])
    slots = intent(route=Route.COMPOSITE)

    result = await asked_of(ports(FixedIntent(slots), facts, narrative=Away(error)))

    assert result.answer.endswith(f"\n\n归因分析：\n{SAY.degraded_narrative}")
    assert "731.25" in result.answer
    assert result.answer_kind is AnswerKind.NORMAL


async def test_a_dead_narrative_worker_degrades_a_narrative_question() -> None:
    result = await asked_of(ports(FixedIntent(intent(route=Route.NARRATIVE)), narrative=Away(UnavailableError())))

    assert (result.answer, result.answer_kind) == (SAY.degraded_narrative, AnswerKind.DEGRADED)


async def test_a_failing_provider_degrades_without_a_number() -> None:
    facts = FixedFacts([found(HK_2024, "731.25")])

    result = await asked_of(ports(FixedIntent(intent()), facts, model=FailingAfter()))

    assert (result.answer, result.answer_kind) == (SAY.degraded_structured, AnswerKind.DEGRADED)


async def test_a_drifting_model_changes_nothing_but_the_counts() -> None:
    facts = FixedFacts([found(HK_2024, "731.25"), found(scope("2023"), "650")])
    model = Scripted([asking_for(scope("2023"), text="650")])

    result = await asked_of(ports(FixedIntent(intent()), facts, model=model))

    assert "650" not in result.answer
    assert "731.25" in result.answer
    assert result.guard.reasons == {GuardReason.SCOPE_DRIFT: 2}


@pytest.mark.parametrize("error", [UnavailableError(), DeadlineExceededError(), InternalError()])
async def test_without_the_intent_worker_there_is_no_answer(error: AskError) -> None:
    with pytest.raises(type(error)):
        await asked_of(ports(Away(error)))


async def test_an_ask_made_with_another_profile_is_not_answered() -> None:
    question: AnswerQuestion = ask("香港2024营收", profile_digest="another")

    with pytest.raises(ProfileMismatchError):
        await answer(question, ports(FixedIntent(intent())), PROFILE)


async def test_slots_read_with_another_profile_are_not_used() -> None:
    with pytest.raises(ProfileMismatchError):
        await asked_of(ports(FixedIntent(intent(profile_digest="another"))))


@pytest.mark.parametrize("route", [Route.STRUCTURED, Route.NARRATIVE])
async def test_workers_behind_with_another_profile_are_an_error_and_no_degradation(route: Route) -> None:
    away = Away(ProfileMismatchError())

    with pytest.raises(ProfileMismatchError):
        await asked_of(ports(FixedIntent(intent(route=route)), away, narrative=away))


async def test_an_unknown_default_entity_is_named_before_anything_is_asked() -> None:
    parser = FixedIntent(intent())

    with pytest.raises(InvalidRequestError) as raised:
        await answer(ask("2024营收", default_entity="NOBODY"), ports(parser), PROFILE)

    assert [problem.field for problem in raised.value.problems] == ["default_entity"]
    assert parser.asked == []


async def test_the_default_entity_and_the_date_of_the_ask_reach_the_parser() -> None:
    parser = FixedIntent(intent())
    question = ask("2024营收", default_entity="ACME_CN")

    await answer(question, ports(parser), PROFILE)

    assert (parser.asked[0].default_entity, parser.asked[0].reference_date) == ("ACME_CN", question.reference_date)


async def test_too_many_scopes_are_an_error_and_nothing_is_looked_up() -> None:
    facts = FixedFacts()
    years = [str(year) for year in range(2000, 2025)]

    with pytest.raises(TooManySubtasksError):
        await asked_of(ports(FixedIntent(intent(periods=years)), facts))

    assert facts.asked == []


async def test_decomposition_without_a_model_is_the_normal_path() -> None:
    plain = await answered(intent(), found(HK_2024, "731.25"))

    result = await answer(
        ask("香港2024营收", decompose=True),
        ports(FixedIntent(intent()), FixedFacts([found(HK_2024, "731.25")])),
        PROFILE,
    )

    assert result == plain


async def test_history_changes_nothing() -> None:
    parser, facts = FixedIntent(intent()), FixedFacts([found(HK_2024, "731.25")])
    plain = await answer(ask("香港2024营收"), ports(parser, facts), PROFILE)
    turns = (HistoryTurn(role="user", text="竞安2023营收是 999"), HistoryTurn(role="assistant", text="888"))
    talkative = ask("香港2024营收").model_copy(update={"history": turns})

    result = await answer(talkative, ports(parser, facts), PROFILE)

    assert result == plain
    assert parser.asked[0] == parser.asked[1]


@pytest.mark.parametrize(
    ("question", "locale"),
    [("HK revenue 2024", Locale.EN), ("香港2024营收", Locale.ZH), ("qual è il revenue di HK nel 2024", Locale.IT)],
)
async def test_the_language_of_the_answer_is_that_of_the_question(question: str, locale: Locale) -> None:
    result = await answered(intent(), not_found(HK_2024), question=question, locale=None)

    assert result.locale is locale


async def test_the_language_that_is_asked_for_wins() -> None:
    result = await answered(intent(), not_found(HK_2024), locale=Locale.IT)

    assert result.answer.startswith("Non trovato: REVENUE / ACME_HK / 2024")


async def test_residues_are_asked_back_and_nothing_is_looked_up() -> None:
    facts = FixedFacts([found(HK_2024, "731.25")])
    question = "香港2024营收增长率"

    result = await asked_of(ports(FixedIntent(intent(residues=[residue(question, "增长率")])), facts), question)

    assert result.answer_kind is AnswerKind.CLARIFICATION
    assert "731.25" not in result.answer
    assert facts.asked == []
