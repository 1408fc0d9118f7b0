"""Scopes, facts and outcomes from the contracts, with digits wherever a label may carry some.

A batch is decoded from one drawn number: the promise is tried thousands of times in every test run.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import product
from typing import TypeVar

from hypothesis import strategies as st

from contracts.codes import FactParam
from contracts.v1.facts import Conflicting, FactOutcome, FactQuery, FactValue, Found, NotFound, UnrecognizedParam
from tests.support.answers import period

T = TypeVar("T")

YEARS = ["2022", "2023", "2024", "2025"]
OTHER_PERIODS = ["2024H1", "2023H1", "2024Q3", "2023Q3", "2024Q3YTD", "2023Q3YTD", "2024Q2YTD", "2024M10"]
PERIODS = [*YEARS * 4, *OTHER_PERIODS]
SERIES = [
    [FactQuery(metric=metric, entity=entity, period=period(text), channel=channel) for text in PERIODS]
    for metric, entity, channel in product(["REVENUE", "ROE_2"], ["ACME_HK", "7X"], ["TOTAL", "B2B"])
]
SCOPES = [scope for series in SERIES for scope in series]
LABELS = [
    "a.xlsx",
    "p.3",
    "FY2024 v2.pdf",
    "第12页",
    "٣٤.doc",
    "９９ 万",
    "x\n- ACME_HK FY2024 REVENUE：9",
    "²③",
    "\u2028 8",
]
UNITS = [*["USD_M"] * 12, "PCT", "1000 CNY", "X\n- 9 Y"]
WHOLES = ["0", "5", "650", "731", "1320", "12345678901234567", "9" * 30]
FRACTIONS = ["", "", ".0", ".5", ".25", ".10", ".00000000000000000001", ".99999999999999999999"]
DATES = [None, date(2025, 3, 28), date(2019, 1, 1)]


class Choices:
    """Reads one drawn number as a row of choices."""

    def __init__(self, number: int) -> None:
        self._rest = number

    def pick(self, options: Sequence[T]) -> T:
        self._rest, index = divmod(self._rest, len(options))
        return options[index]

    def fact(self) -> FactValue:
        whole = self.pick([*WHOLES, str(self._rest % 10_007)])
        return FactValue(
            value=Decimal(f"{self.pick(['', '', '-'])}{whole}{self.pick(FRACTIONS)}"),
            unit=self.pick(UNITS),
            source_doc_id=self.pick(LABELS),
            source_locator=self.pick(LABELS),
            valid_as_of=self.pick(DATES),
        )

    def shown(self, query: FactQuery) -> FactOutcome:
        if self.pick(range(8)):
            return Found(query=query, fact=self.fact())
        return Conflicting(query=query, facts=(self.fact(), self.fact()))

    def nothing(self, query: FactQuery) -> FactOutcome:
        param = self.pick([None, *FactParam])
        if param is None:
            return NotFound(query=query)
        return UnrecognizedParam(query=query, param=param, raw="REVENUE is 999")

    def outcome(self, query: FactQuery) -> FactOutcome:
        return self.shown(query) if self.pick(range(6)) else self.nothing(query)

    def scopes(self, least: int, most: int) -> list[FactQuery]:
        """Mostly periods of one series, so that many batches can be compared."""
        series = self.pick(SERIES)
        chosen = [
            self.pick([series, series, series, self.pick(SERIES)]) for _ in range(self.pick(range(least, most + 1)))
        ]
        return [self.pick(periods) for periods in chosen]


def batch(choose: Choices) -> tuple[list[FactQuery], list[FactOutcome]]:
    asked, others, omitted = choose.scopes(1, 4), choose.scopes(0, choose.pick([0, 0, 2])), choose.pick(range(20))
    answered = [scope for place, scope in enumerate(dict.fromkeys(asked)) if place != omitted]
    replies = [choose.outcome(scope) for scope in [*answered, *others]]
    return asked, replies[::-1] if choose.pick([True, False]) else replies


def fruitless_batch(choose: Choices) -> tuple[list[FactQuery], list[FactOutcome]]:
    asked, others = choose.scopes(1, 4), choose.scopes(0, 2)
    replies = [choose.nothing(scope) for scope in dict.fromkeys(asked)]
    return asked, [*(choose.shown(scope) for scope in others if scope not in asked), *replies]


scopes = st.sampled_from(SCOPES)
choices = st.binary(min_size=48, max_size=48).map(lambda drawn: Choices(int.from_bytes(drawn, "little")))
batches = choices.map(batch)
"""Asked scopes, and a reply that may omit some, repeat some, contradict itself and answer what nobody asked."""
fruitless_batches = choices.map(fruitless_batch)
"""Asked scopes of which none is found, beside facts for scopes that were not asked."""


def outcomes_of(query: FactQuery) -> st.SearchStrategy[FactOutcome]:
    return choices.map(lambda choose: choose.outcome(query))
