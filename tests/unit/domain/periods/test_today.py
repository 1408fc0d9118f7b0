"""The day that a question calls today: read where it is one day of the calendar, and only there."""

from datetime import date

import pytest

from domain.fold import folded_text
from domain.periods.today import find_today


@pytest.mark.parametrize(
    "question",
    [
        "今天是2021年12月24日，去年营收",
        "假设今天为2021-12-24。",
        "当前日期：2021/12/24，",
        "截至今天（2021年12月24日），",
        "现在是2021年12月24日星期五，",
        "today is 2021-12-24",
        "Today is Friday, December 24th, 2021.",
        "As of today, 24 December 2021, what was",
        "as of today (the 24th of December, 2021)",
        "the current date is 24.12.2021",
        "assuming that today's date is Dec 24, 2021,",
        "oggi è il 24 dicembre 2021,",
        "ad oggi, venerdì 24 dicembre 2021",
        "supponendo che la data odierna sia 24/12/2021",
    ],
)
def test_a_stated_day_is_read(question: str) -> None:
    found = find_today(folded_text(question))

    assert found is not None
    assert found[0] == date(2021, 12, 24)


@pytest.mark.parametrize(
    "question",
    [
        "截至2021年12月24日的营收",
        "as of 24 December 2021",
        "al 24 dicembre 2021",
        "今天是12月24日",
        "今天是2021年12月",
        "今天是2021年2月30日",
        "today is 03/04/2021",
        "今天是2021年12月24日，今天是2020年12月24日",
        "yesterday is 2021-12-24",
    ],
)
def test_any_other_day_is_none(question: str) -> None:
    assert find_today(folded_text(question)) is None
