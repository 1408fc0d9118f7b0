"""What `find_periods` reads, in a form that is short to compare."""

from datetime import date

from domain.fold import fold
from domain.periods import PeriodMention, find_periods
from domain.profile import FiscalCalendar, FiscalYearLabel

TODAY = date(2025, 5, 20)
CALENDAR_YEAR = FiscalCalendar()
APRIL_BY_END = FiscalCalendar(start_month=4, label=FiscalYearLabel.END)
APRIL_BY_START = FiscalCalendar(start_month=4, label=FiscalYearLabel.START)


def mentions_in(
    question: str, *, today: date = TODAY, calendar: FiscalCalendar = CALENDAR_YEAR
) -> tuple[PeriodMention, ...]:
    """The mentions of a question."""
    return find_periods(fold(question), today=today, calendar=calendar)


def periods_in(question: str, *, today: date = TODAY, calendar: FiscalCalendar = CALENDAR_YEAR) -> str:
    """The values of all periods of a question, in order."""
    mentions = mentions_in(question, today=today, calendar=calendar)
    return " ".join(period.value for mention in mentions for period in mention.periods)


def consumed_in(question: str) -> list[str]:
    """The parts of the folded question that the mentions consume."""
    text = fold(question).text
    return [text[m.start : m.end] for m in mentions_in(question)]
