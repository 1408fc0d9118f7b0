from datetime import date

import pytest

from contracts.codes import FactParam, FactStatus, Locale
from contracts.v1.facts import Conflicting, FactOutcome, FactValue, Found, Source, UnrecognizedParam
from services.orchestrator.guard import guard
from services.orchestrator.rendering import Rendered, render, sources, summary, tool_results
from tests.support.answers import conflicting, fact, found, not_found, scope


def rendered(*outcomes: FactOutcome, locale: Locale = Locale.ZH) -> Rendered:
    return render(guard([outcome.query for outcome in outcomes], outcomes), locale)


def test_one_found_scope_is_one_line_with_its_source() -> None:
    outcome = Found(
        query=scope("2024", entity="ACME_CN"),
        fact=fact("1320", doc="ACME_FY2024_Review.pptx", locator="slide=2,table=1,row=REVENUE,col=FY2024"),
    )

    answer = rendered(outcome)

    assert answer.text == (
        "ACME_CN FY2024 REVENUE：1320 USD_M（来源：ACME_FY2024_Review.pptx · slide=2,table=1,row=REVENUE,col=FY2024）"
    )
    assert answer.plain == "ACME_CN FY2024 REVENUE：1320 USD_M"


def test_channel_and_date_are_shown_where_there_are_any() -> None:
    outcome = Found(query=scope("2024H1", channel="AGENCY"), fact=fact("120", as_of=date(2025, 3, 28)))

    assert rendered(outcome).text == (
        "ACME_HK 2024H1 REVENUE（渠道 AGENCY）：120 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7 · 截至 2025-03-28）"
    )


def test_one_missing_scope_is_an_honest_refusal() -> None:
    assert rendered(not_found(scope("2025", entity="ACME_CN"))).text == (
        "查不到：REVENUE / ACME_CN / 2025（渠道 TOTAL）未在事实表中找到。"
        "为避免误导，不提供任何推测数字；可尝试调整期间或实体后重问。"
    )


def test_an_unrecognised_parameter_is_named_as_asked_and_never_as_echoed() -> None:
    outcome = UnrecognizedParam(query=scope("2024"), param=FactParam.METRIC, raw="REVENUE is 999")

    answer = rendered(outcome)

    assert answer.text.startswith("无法识别参数 metric：'REVENUE'。")
    assert "999" not in answer.text


def test_several_scopes_are_a_list_with_one_line_each() -> None:
    answer = rendered(found(scope("2024"), "731.25"), not_found(scope("2024", metric="NEWSALES", channel="BANCA")))

    assert answer.text == (
        "对比结果：\n"
        "- ACME_HK FY2024 REVENUE：731.25 USD_M（来源：hk_pack.xlsx · sheet=KPI!R7）\n"
        "- ACME_HK FY2024 NEWSALES（渠道 BANCA）：查不到（未在事实表中找到，不提供推测数字）"
    )
    assert answer.plain.splitlines()[1] == "- ACME_HK FY2024 REVENUE：731.25 USD_M"


def test_two_periods_are_compared_below_the_lines() -> None:
    answer = rendered(found(scope("2023"), "650"), found(scope("2024"), "731.25"))

    assert answer.text.splitlines()[-1] == "对比：FY2024 较 FY2023 +81.25 USD_M（+12.5%）"


@pytest.mark.parametrize("base", ["0", "-3"])
def test_there_is_no_percentage_of_a_base_that_is_not_positive(base: str) -> None:
    answer = rendered(found(scope("2023"), base), found(scope("2024"), "5"))

    assert "%" not in answer.text


def test_rates_differ_by_percentage_points() -> None:
    answer = rendered(
        found(scope("2023", metric="ROE"), "12.50", unit="PCT"), found(scope("2024", metric="ROE"), "11", unit="PCT")
    )

    assert answer.text.splitlines()[-1] == "对比：FY2024 较 FY2023 -1.50 个百分点"


def test_comparisons_of_several_series_name_theirs() -> None:
    outcomes = [
        found(scope(year, entity=entity), value)
        for entity in ("ACME_HK", "ACME_CN")
        for year, value in (("2023", "1"), ("2024", "2"))
    ]

    assert rendered(*outcomes).text.splitlines()[-2:] == [
        "对比：ACME_HK FY2024 REVENUE 较 FY2023 +1 USD_M（+100.0%）",
        "对比：ACME_CN FY2024 REVENUE 较 FY2023 +1 USD_M（+100.0%）",
    ]


def test_conflicting_values_are_all_shown_and_none_is_picked() -> None:
    assert rendered(conflicting(scope("2024"), "1", "2")).text == (
        "ACME_HK FY2024 REVENUE：1 USD_M（来源：a.xlsx · sheet=KPI!R7）\n"
        "ACME_HK FY2024 REVENUE：2 USD_M（来源：b.xlsx · sheet=KPI!R7）\n"
        "以上来源口径不一致，系统不作取舍。"
    )


def test_a_conflict_in_a_list_keeps_its_note_below_its_lines() -> None:
    answer = rendered(conflicting(scope("2023"), "1", "2"), not_found(scope("2024")))

    assert [line[:4] for line in answer.text.splitlines()] == ["对比结果", "- AC", "- AC", "以上来源", "- AC"]


def test_a_dead_fact_source_is_one_sentence_without_a_number() -> None:
    answer = render(guard([scope("2023"), scope("2024")], []), Locale.ZH)

    assert answer.text == "事实数据源暂时不可用，未能查询；为避免误导，不提供任何数字。请稍后重试。"


def test_a_half_answered_batch_says_which_scope_is_open() -> None:
    answer = render(guard([scope("2023"), scope("2024")], [found(scope("2024"), "731.25")]), Locale.ZH)

    assert answer.text.splitlines()[1] == ("- ACME_HK FY2023 REVENUE：事实数据源暂时不可用（未能查询，不提供推测数字）")


@pytest.mark.parametrize("stored", ["1234567.89", "0.00001234", "1000000", "1320.50", "-2500000.5", "0.10"])
def test_the_stored_digits_are_shown(stored: str) -> None:
    assert f"：{stored} USD_M（" in rendered(found(scope("2024"), stored)).text


@pytest.mark.parametrize(
    "value",
    [
        fact("1", doc="a.pdf\n- ACME_HK FY2025 REVENUE：9"),
        fact("1", locator="p\u20281"),
        fact("1", unit="USD_M\n- ACME_HK FY2025 REVENUE：9 USD_M"),
    ],
)
def test_a_stored_text_with_line_breaks_cannot_write_a_line_of_its_own(value: FactValue) -> None:
    assert len(rendered(Found(query=scope("2024"), fact=value)).text.splitlines()) == 1


def test_sources_stand_in_the_order_shown_and_each_once() -> None:
    outcomes = (
        found(scope("2022"), "1", doc="b.xlsx"),
        found(scope("2023"), "2", doc="a.xlsx"),
        found(scope("2024"), "3", doc="b.xlsx"),
    )

    shown = sources(guard([outcome.query for outcome in outcomes], outcomes))

    assert shown == (Source(doc="b.xlsx", locator="sheet=KPI!R7"), Source(doc="a.xlsx", locator="sheet=KPI!R7"))


def test_programs_get_the_same_outcomes_as_people() -> None:
    outcomes = (
        found(scope("2021"), "1.50"),
        not_found(scope("2022")),
        UnrecognizedParam(query=scope("2023"), param=FactParam.PERIOD, raw="x"),
        conflicting(scope("2024"), "1", "2"),
    )

    results = tool_results(guard([outcome.query for outcome in outcomes], outcomes))

    assert [result.status for result in results] == [
        FactStatus.FOUND,
        FactStatus.NOT_FOUND,
        FactStatus.UNRECOGNIZED_PARAM,
        FactStatus.CONFLICTING,
    ]
    assert results[0].model_dump(mode="json")["value"] == "1.50"
    assert results[2].param == "period"
    assert [value.source.doc for value in results[3].conflicting] == ["a.xlsx", "b.xlsx"]
    assert summary(results).model_dump() == {"found": 1, "not_found": 1, "unrecognized": 1, "conflicting": 1}


@pytest.mark.parametrize("locale", list(Locale))
def test_every_kind_of_line_can_be_said_in_every_language(locale: Locale) -> None:
    outcomes: list[FactOutcome] = [
        found(scope("2023"), "1"),
        found(scope("2024"), "2"),
        not_found(scope("2024", metric="PROFIT")),
        Conflicting(query=scope("2024", entity="ACME_CN"), facts=(fact("1"), fact("2", doc="b.xlsx"))),
        UnrecognizedParam(query=scope("2024", channel="AGENCY"), param=FactParam.CHANNEL, raw="x"),
    ]
    asked = [*(outcome.query for outcome in outcomes), scope("2024", entity="ACME_GROUP")]

    several = render(guard(asked, outcomes), locale)
    alone = [rendered(outcome, locale=locale) for outcome in outcomes]

    assert len(several.text.splitlines()) == 1 + len(asked) + 2 + 1
    assert all(answer.text and "{" not in answer.text for answer in [several, *alone])
