import pytest

from contracts.codes import Axis, GrowthBasis, Locale, RankingOrder
from contracts.v1.facts import FactOutcome
from services.orchestrator.calculating import calculate
from services.orchestrator.guard import guard
from services.orchestrator.rendering import Rendered, render
from services.orchestrator.steps import Change, Order, Quotient, Step, operands
from tests.support.answers import conflicting, found, not_found, scope

NOW, BEFORE = scope("2024"), scope("2023")
HK, CN, GROUP = (scope("2024", entity=entity) for entity in ("ACME_HK", "ACME_CN", "ACME_GROUP"))
GROWTH = Change(NOW, BEFORE, Axis.PERIOD, GrowthBasis.PRIOR_YEAR)


def said(step: Step, *outcomes: FactOutcome, locale: Locale = Locale.ZH) -> Rendered:
    verdict = guard(operands(step), outcomes)
    return render(verdict, locale, calculate([step], verdict))


def last_lines(step: Step, *outcomes: FactOutcome, locale: Locale = Locale.ZH) -> list[str]:
    return [line for line in said(step, *outcomes, locale=locale).text.splitlines()[1:] if not line.startswith("- ")]


def test_a_growth_shows_both_operands_with_their_sources_and_the_result() -> None:
    answer = said(GROWTH, found(NOW, "110", doc="a.xlsx"), found(BEFORE, "100", doc="b.xlsx"))

    assert answer.text == (
        "对比结果：\n"
        "- ACME_HK FY2024 REVENUE：110 USD_M（来源：a.xlsx · sheet=KPI!R7）\n"
        "- ACME_HK FY2023 REVENUE：100 USD_M（来源：b.xlsx · sheet=KPI!R7）\n"
        "同比：ACME_HK FY2024 REVENUE 较 FY2023 +10 USD_M（+10.0%）"
    )
    assert "来源" not in answer.plain


def test_a_found_operand_of_a_refused_calculation_is_marked_as_no_answer() -> None:
    answer = said(GROWTH, found(NOW, "731.25"), not_found(BEFORE))

    assert answer.text == (
        "对比结果：\n"
        "- ACME_HK FY2024 REVENUE：731.25 USD_M，仅为计算所需的一项（来源：hk_pack.xlsx · sheet=KPI!R7）\n"
        "- ACME_HK FY2023 REVENUE：查不到（未在事实表中找到，不提供推测数字）\n"
        "未计算：ACME_HK FY2023 REVENUE 未在事实表中找到。为避免误导，不提供任何推测数字。"
    )


def test_no_percentage_is_said_plainly_and_the_amount_is_shown() -> None:
    assert last_lines(GROWTH, found(NOW, "5"), found(BEFORE, "-3")) == [
        "同比：ACME_HK FY2024 REVENUE 较 FY2023 +8 USD_M",
        "ACME_HK FY2023 REVENUE 的数值不为正，不给出百分比。",
    ]


def test_rates_are_told_in_points() -> None:
    assert last_lines(GROWTH, found(NOW, "14", unit="PCT"), found(BEFORE, "16", unit="PCT")) == [
        "同比：ACME_HK FY2024 REVENUE 较 FY2023 -2 个百分点"
    ]


def test_conflicting_operands_are_all_shown_and_none_is_used() -> None:
    answer = said(GROWTH, found(NOW, "5"), conflicting(BEFORE, "1", "2"))

    assert answer.text.count("仅为计算所需的一项") == 3
    assert answer.text.endswith("未计算：ACME_HK FY2023 REVENUE 的来源口径不一致。为避免误导，不提供任何推测数字。")


def test_a_dead_fact_source_is_said_to_be_dead() -> None:
    assert said(GROWTH).text == "事实数据源暂时不可用，未能查询；为避免误导，不提供任何数字。请稍后重试。"


def test_a_difference_says_which_is_compared_with_which() -> None:
    step = Change(CN, HK, Axis.ENTITY)

    assert last_lines(step, found(CN, "5"), found(HK, "8")) == [
        "差额：ACME_CN FY2024 REVENUE 较 ACME_HK -3 USD_M（-37.5%）"
    ]


def test_a_difference_of_two_metrics_has_no_percentage() -> None:
    step = Change(HK, scope("2024", metric="PROFIT"), Axis.METRIC)

    assert last_lines(step, found(HK, "5"), found(step.base, "2")) == [
        "差额：ACME_HK FY2024 REVENUE 较 PROFIT +3 USD_M"
    ]


def test_a_ratio_names_what_it_is_made_of() -> None:
    step = Quotient(scope("2024", metric="PROFIT"), HK, metric="MARGIN", unit="PCT")

    assert last_lines(step, found(step.numerator, "1"), found(HK, "4")) == [
        "计算：ACME_HK FY2024 MARGIN：25.0 PCT（PROFIT ÷ REVENUE）"
    ]


def test_a_share_names_the_whole() -> None:
    assert last_lines(Quotient(HK, GROUP), found(HK, "1"), found(GROUP, "8")) == [
        "占比：ACME_HK FY2024 REVENUE 占 ACME_GROUP FY2024 REVENUE 的 12.5%"
    ]


def test_a_ranking_lists_the_order_and_who_was_asked_for() -> None:
    step = Order((HK, CN, GROUP), RankingOrder.HIGHEST_FIRST, 2)

    assert last_lines(step, found(HK, "1"), found(CN, "3"), found(GROUP, "2")) == [
        "从高到低：ACME_CN FY2024 REVENUE > ACME_GROUP FY2024 REVENUE > ACME_HK FY2024 REVENUE",
        "所问的是：ACME_GROUP FY2024 REVENUE",
    ]


def test_ties_are_said_as_ties() -> None:
    step = Order((HK, CN), RankingOrder.LOWEST_FIRST, 1)

    assert last_lines(step, found(HK, "1"), found(CN, "1.0")) == [
        "从低到高：ACME_HK FY2024 REVENUE = ACME_CN FY2024 REVENUE（“=”表示并列）",
        "所问的是：ACME_HK FY2024 REVENUE、ACME_CN FY2024 REVENUE（并列）",
    ]


def test_nobody_is_second_behind_a_tie() -> None:
    step = Order((HK, CN), RankingOrder.HIGHEST_FIRST, 2)

    lines = last_lines(step, found(HK, "1"), found(CN, "1"))

    assert lines[-1] == "未计算：数值并列，所问的名次上没有。为避免误导，不提供任何推测数字。"


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        (Locale.EN, "Year on year: ACME_HK FY2024 REVENUE against FY2023 +10 USD_M (+10.0%)"),
        (Locale.IT, "Anno su anno: ACME_HK FY2024 REVENUE rispetto a FY2023 +10 USD_M (+10.0%)"),
    ],
)
def test_the_result_is_told_in_the_language_of_the_answer(locale: Locale, line: str) -> None:
    assert last_lines(GROWTH, found(NOW, "110"), found(BEFORE, "100"), locale=locale) == [line]


def test_a_unit_with_a_line_break_writes_no_line_of_its_own() -> None:
    outcomes = found(NOW, "2", unit="USD\n- 999"), found(BEFORE, "1", unit="USD\n- 999")

    assert "\n- 999" not in said(GROWTH, *outcomes).text
