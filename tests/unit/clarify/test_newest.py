"""Which period the latest one is: the only answer that the loaded periods leave, else a question back."""

from contracts.codes import PeriodType
from contracts.v1.intent import LatestPeriod
from contracts.v1.periods import Period
from services.clarify.newest import Newest, NothingLoaded, Several, choices, choose
from tests.support.answers import period

QUESTION = "HK revenue in the latest quarter?"
ANY = LatestPeriod(start=14, end=32)
QUARTER = LatestPeriod(type=PeriodType.QUARTER, start=14, end=32)


def loaded(*periods: str) -> list[Period]:
    return [period(text) for text in periods]


def test_the_newest_of_the_asked_kind_is_taken_whatever_else_is_loaded() -> None:
    newest = choose(QUARTER, [loaded("2024", "2025Q1", "2024Q4")])

    assert newest == Newest(QUARTER, period("2025Q1"), (period("2024Q4"),))


def test_without_a_kind_the_only_loaded_one_is_taken() -> None:
    assert choose(ANY, [loaded("2024", "2023")]) == Newest(ANY, period("2024"), (period("2023"),))


def test_without_a_kind_several_loaded_ones_are_a_choice() -> None:
    assert choose(ANY, [loaded("2024", "2023", "2025Q1")]) == Several((period("2024"), period("2025Q1")))


def test_series_that_end_in_different_periods_are_a_choice() -> None:
    assert choose(QUARTER, [loaded("2025Q1"), loaded("2024Q4")]) == Several((period("2025Q1"), period("2024Q4")))


def test_a_series_without_any_figure_leaves_the_others_their_period() -> None:
    assert choose(QUARTER, [loaded("2025Q1"), []]) == Newest(QUARTER, period("2025Q1"))


def test_only_periods_of_every_series_are_offered_instead() -> None:
    newest = choose(QUARTER, [loaded("2025Q1", "2024Q4", "2024Q3"), loaded("2025Q1", "2024Q3")])

    assert newest == Newest(QUARTER, period("2025Q1"), (period("2024Q3"),))


def test_a_kind_that_is_not_loaded_has_no_newest_period() -> None:
    assert choose(QUARTER, [loaded("2024")]) == NothingLoaded()
    assert choose(ANY, [[]]) == NothingLoaded()


def test_an_option_names_its_period_where_the_question_asks_for_the_latest() -> None:
    options = choices(QUARTER, QUESTION, loaded("2024Q4"))

    assert [(option.label, option.question) for option in options] == [("2024Q4", "HK revenue in 2024Q4 ?")]
