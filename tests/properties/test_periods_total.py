"""For all texts: reading periods ends, in order, without overlap, and in time proportional to the length."""

import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.fold import fold
from domain.periods import find_periods, last_complete_fiscal_year, parse_period
from domain.profile import FiscalCalendar, FiscalYearLabel

WORDS = (
    *(
        "2024",
        "2023年",
        "fy24",
        "q1",
        "h2",
        "上半年",
        "第一季度",
        "10月",
        "october",
        "31,",
        "二〇二四年",
        "2018-20",
        "1",
    ),
    *(
        "、",
        ",",
        "和",
        "and",
        "of",
        "-",
        "至",
        "的",
        "末",
        "' ",
        "the",
        "for",
        "between",
        "from",
        "年报",
        "营收",
        "revenue",
    ),
    *(
        "去年",
        "上年",
        "去年同期",
        "近三年",
        "前三季度",
        "last year",
        "prior quarter",
        "l'anno scorso",
        "semestre",
        "本财年",
        "1-6月",
    ),
)
PIECES = st.sampled_from(WORDS)
QUESTIONS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES).map("".join))
CALENDARS = st.builds(FiscalCalendar, start_month=st.integers(1, 12), label=st.sampled_from(list(FiscalYearLabel)))
DAYS = st.one_of(st.dates(), st.sampled_from([date.min, date.max]))


@settings(max_examples=400, deadline=None)
@given(QUESTIONS, DAYS, CALENDARS)
def test_mentions_are_ordered_disjoint_and_inside_the_text(
    question: str, today: date, calendar: FiscalCalendar
) -> None:
    folded = fold(question)

    mentions = find_periods(folded, today=today, calendar=calendar)

    edges = [edge for mention in mentions for edge in (mention.start, mention.end)]
    assert edges == sorted(edges)
    assert all(m.start < m.end <= len(folded.text) for m in mentions)


@given(DAYS, CALENDARS)
def test_every_day_has_a_last_complete_year(today: date, calendar: FiscalCalendar) -> None:
    assert len(last_complete_fiscal_year(today, calendar).value) == 4


@settings(max_examples=200, deadline=None)
@given(DAYS, CALENDARS, st.integers(1900, 2099), st.sampled_from(["", "H1", "H2", "Q1", "Q4", "M01", "M12", "Q3YTD"]))
def test_a_stored_period_reads_as_itself(today: date, calendar: FiscalCalendar, year: int, part: str) -> None:
    period = parse_period(f"{year}{part}", today, calendar)

    assert period is not None
    assert period.value == f"{year}{part}"


@pytest.mark.parametrize(
    "piece",
    [
        "2024",
        "2024年",
        "1-",
        "q1 ",
        "第一、",
        "19、20",
        "2018,",
        "2018-20",
        "first and second ",
        "近三年",
        "三季度至",
        "二〇",
        " ",
    ],
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    def seconds(length: int) -> float:
        folded = fold((piece * length)[:length])
        started = time.perf_counter()
        find_periods(folded, today=date(2025, 5, 20), calendar=FiscalCalendar())
        return time.perf_counter() - started

    short = min(seconds(2_000) for _ in range(3))
    long = min(seconds(8_000) for _ in range(2))

    assert long < max(short, 0.01) * 4 * 4
