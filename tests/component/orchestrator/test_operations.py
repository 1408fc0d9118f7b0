"""Questions that want something computed, through the whole flow with the real parser and stored facts."""

import pytest

from contracts.codes import AnswerKind, CalculationRefusal, ClarifyMode, Locale, OperationKind, PeriodType, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.facts import FactRow
from domain.profile import CompanyProfile
from runtime.errors import UnavailableError
from services.orchestrator.conversation import Turn
from services.orchestrator.flow import answer
from tests.support.answers import TODAY
from tests.support.inprocess import Away, Material, ParsedInProcess, Scripted, StoredFacts, asking_for, passage, ports
from tests.support.profiles import acme

PROFILE = CompanyProfile.model_validate(
    acme().model_dump()
    | {"derived": {"MARGIN": {"numerator": "PROFIT", "denominator": "REVENUE", "synonyms": ["profit margin"]}}}
)
VALUES = {
    ("REVENUE", "ACME_HK", "2024", "TOTAL"): "110",
    ("REVENUE", "ACME_HK", "2023", "TOTAL"): "100",
    ("REVENUE", "ACME_CN", "2024", "TOTAL"): "300",
    ("REVENUE", "ACME_GROUP", "2024", "TOTAL"): "440",
    ("REVENUE", "ACME_HK", "2024", "AGENCY"): "33",
    ("PROFIT", "ACME_HK", "2024", "TOTAL"): "22",
    ("PROFIT", "ACME_HK", "2023", "TOTAL"): "-2",
}


def row(metric: str, entity: str, year: str, channel: str, value: str) -> FactRow:
    return FactRow.model_validate(
        {
            "metric_code": metric,
            "entity": entity,
            "period_type": PeriodType.FY,
            "period": year,
            "channel": channel,
            "value": value,
            "unit": "USD_M",
            "source_doc_id": f"{entity}_{year}.xlsx",
            "source_locator": f"row={metric},col={channel}",
        }
    )


FACTS = StoredFacts(row(*key, value) for key, value in VALUES.items())


async def answered(question: str, *, facts: StoredFacts | Away = FACTS, model: Scripted | None = None) -> AnswerResult:
    ask = AnswerQuestion(
        question=question,
        reference_date=TODAY,
        locale=Locale.ZH,
        request_id="test",
        profile_digest=PROFILE.digest(),
    )
    return await answer(ask, ports(ParsedInProcess(PROFILE), facts, model=model), PROFILE)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("香港2024年营收同比增长率", "同比：ACME_HK FY2024 REVENUE 较 FY2023 +10 USD_M（+10.0%）"),
        ("香港2024年营收比中国少多少", "差额：ACME_HK FY2024 REVENUE 较 ACME_CN -190 USD_M（-63.3%）"),
        ("HK profit margin FY2024", "计算：ACME_HK FY2024 MARGIN：20.0 PCT（PROFIT ÷ REVENUE）"),
        ("香港2024年营收占集团的比重", "占比：ACME_HK FY2024 REVENUE 占 ACME_GROUP FY2024 REVENUE 的 25.0%"),
        (
            "香港2024年代理渠道营收占总营收的比重",
            "占比：ACME_HK FY2024 REVENUE（渠道 AGENCY） 占 ACME_HK FY2024 REVENUE 的 30.0%",
        ),
        ("香港和中国2024年哪个营收更高", "所问的是：ACME_CN FY2024 REVENUE"),
    ],
)
async def test_a_computed_line_stands_below_its_operands(question: str, line: str) -> None:
    result = await answered(question)

    lines = result.answer.splitlines()
    assert lines[0] == "对比结果："
    assert sum("来源：" in shown for shown in lines) == len(result.tool_results) == len(result.sources) >= 2
    assert lines[-1] == line
    assert result.answer_kind is AnswerKind.NORMAL


async def test_a_program_gets_value_unit_and_operands() -> None:
    amount, percent = (await answered("香港2024年营收同比增长率，保留两位小数")).calculations

    assert (amount.kind, str(amount.value), amount.unit) == (OperationKind.GROWTH, "10", "USD_M")
    assert (str(percent.value), percent.unit) == ("10.00", "PCT")
    assert [operand.period.value for operand in percent.operands] == ["2024", "2023"]


async def test_a_missing_operand_is_said_and_the_found_one_is_marked() -> None:
    result = await answered("中国2024年营收同比增长率")

    assert [entry.reason for entry in result.calculations] == [CalculationRefusal.OPERAND_MISSING]
    assert "300 USD_M，仅为计算所需的一项（来源：" in result.answer
    assert "%" not in result.answer


async def test_a_base_that_is_not_positive_has_no_percentage() -> None:
    result = await answered("香港2024年营运利润同比增长率")

    assert "+24 USD_M" in result.answer
    assert "ACME_HK FY2023 PROFIT 的数值不为正，不给出百分比。" in result.answer
    assert "%" not in result.answer


async def test_what_is_assumed_is_said_above_what_is_computed() -> None:
    result = await answered("香港营收同比增长率")

    assert result.clarification is not None
    assert result.clarification.mode is ClarifyMode.ANSWER_WITH_ASSUMPTIONS
    assert result.answer.startswith("【假设】未指明期间，默认取最近完整财年 FY2024（如需收窄：FY2023）\n对比结果：")


async def test_a_composite_question_is_computed_and_analysed() -> None:
    result = await answered("分析香港2024年营收同比下降的原因")

    assert result.route is Route.COMPOSITE
    assert "同比：ACME_HK FY2024 REVENUE 较 FY2023 +10 USD_M（+10.0%）\n\n归因分析：\n" in result.answer


@pytest.mark.parametrize(
    ("question", "said", "stays"),
    [
        ("分析香港2024年营收同比下降的原因", "营收同比增长10.0%，因台风季停业。", True),
        ("分析香港2024年营收同比下降的原因", "营收增长10%，增加了10 USD_M。", True),
        ("分析香港2024年营收同比下降的原因", "营收同比增长12%。", False),
        ("分析香港2024年营收同比下降的原因", "营运利润同比增长10.0%。", False),
        ("分析香港2024年营收占集团的比重", "香港营收占集团的25.0%。", True),
        ("分析香港2024年营收占集团的比重", "香港营收占集团的52%。", False),
    ],
)
async def test_prose_may_repeat_what_was_computed_and_nothing_else(question: str, said: str, *, stays: bool) -> None:
    ask = AnswerQuestion(
        question=question, reference_date=TODAY, locale=Locale.ZH, request_id="test", profile_digest=PROFILE.digest()
    )
    material = Material([passage("香港营收变化的主因是台风季停业。")])
    these = ports(
        ParsedInProcess(PROFILE), FACTS, narrative=material, model=Scripted([Turn(text=f"{said}台风季停业。")])
    )

    result = await answer(ask, these, PROFILE)

    assert result.calculations
    assert "台风季停业" in result.answer
    assert (said in result.answer) is stays


async def test_no_model_is_asked_where_something_is_computed() -> None:
    model = Scripted([asking_for(text="9,876.54")])

    result = await answered("香港2024年营收同比增长率", model=model)

    assert model.heard == []
    assert "+10.0%" in result.answer


async def test_a_dead_fact_source_computes_nothing() -> None:
    result = await answered("香港2024年营收同比增长率", facts=Away(UnavailableError()))

    assert result.answer_kind is AnswerKind.DEGRADED
    assert not any(char.isdigit() for char in result.answer)
    assert [entry.reason for entry in result.calculations] == [CalculationRefusal.OPERAND_UNAVAILABLE]
