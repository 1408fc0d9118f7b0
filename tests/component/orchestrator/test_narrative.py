"""The narrative part through the real parser and the whole flow."""

from contracts.codes import AnswerKind, Route
from contracts.v1.ask import AnswerResult
from contracts.v1.narrative import Passage
from services.orchestrator.flow import answer
from services.orchestrator.ports import FactPort
from tests.support.answers import ask, found, sample_profile, scope
from tests.support.inprocess import FixedFacts, Material, ParsedInProcess, passage, ports

PROFILE = sample_profile()
INTENT = ParsedInProcess(PROFILE)
VISITS = passage("香港门店客流回落，主因是台风季停业。")
WHY = "香港门店客流为什么回落"


async def told(question: str, *passages: Passage, facts: FactPort | None = None) -> AnswerResult:
    return await answer(ask(question), ports(INTENT, facts, narrative=Material(passages)), PROFILE)


async def test_without_a_model_the_material_is_quoted_word_for_word_with_its_source() -> None:
    result = await told(WHY, VISITS)

    assert result.answer == "香港门店客流回落，主因是台风季停业。[1]\n（资料来源：visit_log.pdf p3）"
    assert result.answer_plain == "香港门店客流回落，主因是台风季停业。[1]"
    assert [(source.doc, source.locator) for source in result.sources] == [("visit_log.pdf", "p3")]
    assert (result.route, result.answer_kind) == (Route.NARRATIVE, AnswerKind.NORMAL)


async def test_a_composite_answer_has_the_number_first_and_the_sources_of_both() -> None:
    facts = FixedFacts([found(scope("2024"), "731.25")])

    result = await told("香港2024营收为什么下降", passage("香港营收下降主因是台风季停业。"), facts=facts)

    assert result.answer == (
        "ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）\n\n归因分析：\n"
        "香港营收下降主因是台风季停业。[1]\n（资料来源：visit_log.pdf p3）"
    )
    assert [source.doc for source in result.sources] == ["hk_pack.xlsx", "visit_log.pdf"]


async def test_what_was_assumed_for_the_number_is_what_the_material_is_searched_for() -> None:
    material = Material([VISITS])

    await answer(ask("营收为什么下降"), ports(INTENT, narrative=material), PROFILE)

    (request,) = material.asked
    assert (request.entities, [period.value for period in request.periods]) == (("ACME_GROUP",), ["2024"])
