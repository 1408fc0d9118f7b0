"""Fiscal years that are no calendar years, and the public helpers around a period."""

from datetime import date

import pytest

from contracts.codes import PeriodType
from contracts.v1.periods import Period
from domain.fold import fold
from domain.periods import find_periods, fiscal_year_of, last_complete_fiscal_year, parse_period, period_sort_key
from domain.profile import FiscalCalendar, FiscalYearLabel
from tests.unit.domain.periods.helpers import (
    APRIL_BY_END,
    APRIL_BY_START,
    CALENDAR_YEAR,
    TODAY,
    consumed_in,
    mentions_in,
    periods_in,
)

APPLE = FiscalCalendar(start_month=10, label=FiscalYearLabel.END)


@pytest.mark.parametrize(
    ("calendar", "today", "expected"),
    [
        (CALENDAR_YEAR, date(2025, 1, 1), 2025),
        (CALENDAR_YEAR, date(2025, 12, 31), 2025),
        (APRIL_BY_END, date(2025, 3, 31), 2025),
        (APRIL_BY_END, date(2025, 4, 1), 2026),
        (APRIL_BY_START, date(2025, 3, 31), 2024),
        (APRIL_BY_START, date(2025, 4, 1), 2025),
    ],
)
def test_a_day_belongs_to_the_fiscal_year_of_its_label(calendar: FiscalCalendar, today: date, expected: int) -> None:
    assert fiscal_year_of(today, calendar) == expected
    assert last_complete_fiscal_year(today, calendar) == Period(type=PeriodType.FY, value=str(expected - 1))


@pytest.mark.parametrize(
    ("question", "calendar", "expected"),
    [
        ("FY2024 revenue", APRIL_BY_END, "2024"),
        ("去年营收", APRIL_BY_END, "2025"),
        ("去年营收", APRIL_BY_START, "2024"),
        ("this quarter", APRIL_BY_END, "2026Q1"),
        ("上季度", APRIL_BY_END, "2025Q4"),
        ("上半年营收", APRIL_BY_END, "2026H1"),
        ("FY2025 October revenue", APRIL_BY_END, "2024M10"),
        ("FY2025 February revenue", APRIL_BY_END, "2025M02"),
        ("October 2024", APRIL_BY_END, "2024M10"),
        ("去年10月", APRIL_BY_END, "2024M10"),
        ("2024年4-6月", APRIL_BY_END, "2025Q1"),
        ("2024年1-3月", APRIL_BY_START, "2023Q4"),
        ("2024年2-4月", APRIL_BY_END, ""),
        ("2018/19", APRIL_BY_END, "2019"),
        ("2018/19", APRIL_BY_START, "2018"),
        ("2018/19", CALENDAR_YEAR, ""),
        ("FY19/20", APRIL_BY_END, "2020"),
        ("2018-19", CALENDAR_YEAR, ""),
        ("2018/2019", APRIL_BY_END, "2019"),
        ("2018/2019", CALENDAR_YEAR, "2018 2019"),
        ("calendar year 2023", APRIL_BY_END, ""),
        ("year ended March 31, 2024", APRIL_BY_END, "2024"),
        ("year ended March 31, 2024", APRIL_BY_START, "2023"),
        ("year ended December 31, 2024", APRIL_BY_END, ""),
        ("fiscal year ended September 28, 2024", APPLE, "2024"),
        ("September 28, 2024", APPLE, ""),
        ("September 30, 2024", APPLE, "2024"),
        ("three months ended June 25, 2022", APPLE, "2022Q3"),
        ("three months ended December 31, 2022", APPLE, "2023Q1"),
        ("近两年", APRIL_BY_END, "2024 2025"),
    ],
)
def test_periods_follow_the_fiscal_calendar(question: str, calendar: FiscalCalendar, expected: str) -> None:
    assert periods_in(question, calendar=calendar) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("FY2024", "2024"),
        (" 2024 ", "2024"),
        ("去年", "2024"),
        ("2024Q3YTD", "2024Q3YTD"),
        ("2024M10", "2024M10"),
        ("2024H1", "2024H1"),
        ("２０２４年", "2024"),
    ],
)
def test_a_period_text_is_normalised(raw: str, expected: str) -> None:
    period = parse_period(raw, TODAY, CALENDAR_YEAR)

    assert period is not None
    assert period.value == expected


@pytest.mark.parametrize("raw", ["", "营收", "2024 revenue", "2023 and 2024", "近三年", "2024年集团上半年", "20240"])
def test_anything_but_one_period_is_not_normalised(raw: str) -> None:
    assert parse_period(raw, TODAY, CALENDAR_YEAR) is None


def test_periods_of_one_kind_sort_by_time() -> None:
    values = ["2024Q1", "2023Q4", "2024Q3", "2023Q1"]
    periods = [Period(type=PeriodType.QUARTER, value=value) for value in values]

    assert [p.value for p in sorted(periods, key=period_sort_key)] == ["2023Q1", "2023Q4", "2024Q1", "2024Q3"]


def test_every_kind_of_period_has_a_sort_key() -> None:
    kinds = {
        PeriodType.FY: "2024",
        PeriodType.HY: "2024H2",
        PeriodType.QUARTER: "2024Q4",
        PeriodType.MONTH: "2024M12",
        PeriodType.YTD: "2024Q3YTD",
    }

    keys = {period_sort_key(Period(type=kind, value=value)) for kind, value in kinds.items()}

    assert len(keys) == len(kinds)


def test_nothing_is_read_where_a_span_is_blocked() -> None:
    found = find_periods(fold("竞安2024营收2023"), today=TODAY, calendar=CALENDAR_YEAR, blocked=[(0, 6)])

    assert [period.value for mention in found for period in mention.periods] == ["2023"]


def test_a_year_away_from_its_part_is_consumed_with_it() -> None:
    first, second = mentions_in("2024年集团上半年营收")

    assert first.periods == ()
    assert [period.value for period in second.periods] == ["2024H1"]
    assert consumed_in("2024年集团上半年营收") == ["2024年", "上半年"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("从2018年到2020年的营收", ["从2018年到2020年"]),
        ("between 2018 and 2019", ["between 2018 and 2019"]),
        ("2018年至2020年三年营收", ["2018年至2020年三年"]),
        ("2019年年报中营收", ["2019年年报"]),
        ("FY 2024 revenue", ["fy 2024"]),
        ("first quarter of fiscal year 2023", ["first quarter of fiscal year 2023"]),
    ],
)
def test_a_mention_covers_the_words_that_belong_to_the_period(question: str, expected: list[str]) -> None:
    assert consumed_in(question) == expected
