"""Scopes, facts and outcomes from the contracts, with digits wherever a label may carry some.

Built from few draws each: the promise is tried thousands of times in every test run.
"""

from datetime import date
from decimal import Decimal
from itertools import product

from hypothesis import strategies as st

from contracts.codes import FactParam
from contracts.v1.facts import Conflicting, FactOutcome, FactQuery, FactValue, Found, NotFound, UnrecognizedParam
from tests.support.answers import period

PERIODS = [
    "2022",
    "2023",
    "2024",
    "2024H1",
    "2024H2",
    "2023H1",
    "2024Q3",
    "2023Q3",
    "2024Q3YTD",
    "2023Q3YTD",
    "2024M10",
]
SCOPES = [
    FactQuery(metric=metric, entity=entity, period=period(text), channel=channel)
    for metric, entity, text, channel in product(["REVENUE", "ROE_2"], ["ACME_HK", "7X"], PERIODS, ["TOTAL", "B2B"])
]
FIRST_LABELS = ["a.xlsx", "p.3", "FY2024 v2.pdf", "第12页", "٣٤.doc", "９９ 万", "x\n- ACME_HK FY2024 REVENUE：9", "²③"]
UNITS = ["USD_M", "USD_M", "USD_M", "PCT", "1000 CNY", "X\n- 9 Y"]
FRACTIONS = ["", "", ".0", ".5", ".25", ".10", ".00000000000000000001", ".99999999999999999999"]
DATES = [None, date(2025, 3, 28), date(2019, 1, 1)]

scopes = st.sampled_from(SCOPES)
labels = st.sampled_from(FIRST_LABELS)
wholes = st.integers(-(10**30) + 1, 10**30 - 1)
kinds = st.integers(0, 11)


@st.composite
def facts(draw: st.DrawFn) -> FactValue:
    choice = draw(st.integers(0, len(UNITS) * len(FRACTIONS) * len(DATES) - 1))
    choice, unit = divmod(choice, len(UNITS))
    as_of, fraction = divmod(choice, len(FRACTIONS))
    return FactValue(
        value=Decimal(f"{draw(wholes)}{FRACTIONS[fraction]}"),
        unit=UNITS[unit],
        source_doc_id=draw(labels),
        source_locator=draw(labels),
        valid_as_of=DATES[as_of],
    )


@st.composite
def answers_of(draw: st.DrawFn, query: FactQuery) -> FactOutcome:
    if draw(kinds) < 9:
        return Found(query=query, fact=draw(facts()))
    return Conflicting(query=query, facts=(draw(facts()), draw(facts())))


@st.composite
def nothing_of(draw: st.DrawFn, query: FactQuery) -> FactOutcome:
    param = draw(st.sampled_from([None, *FactParam]))
    if param is None:
        return NotFound(query=query)
    return UnrecognizedParam(query=query, param=param, raw="REVENUE is 999")


@st.composite
def outcomes_of(draw: st.DrawFn, query: FactQuery) -> FactOutcome:
    return draw(answers_of(query) if draw(kinds) < 8 else nothing_of(query))


asked_scopes = st.lists(scopes, min_size=1, max_size=4)


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[FactQuery], list[FactOutcome]]:
    """Asked scopes, and a reply that may omit some, repeat some, contradict itself and answer what nobody asked."""
    asked = draw(asked_scopes)
    omitted, reverse = draw(st.integers(0, 20)), draw(st.booleans())
    answered = [scope for place, scope in enumerate(dict.fromkeys(asked)) if place != omitted]
    others = draw(st.lists(scopes, max_size=2))
    replies = [draw(outcomes_of(scope)) for scope in [*answered, *others]]
    return asked, replies[::-1] if reverse else replies


@st.composite
def fruitless_batches(draw: st.DrawFn) -> tuple[list[FactQuery], list[FactOutcome]]:
    """Asked scopes of which none is found, beside facts for scopes that were not asked."""
    asked = draw(asked_scopes)
    replies = [draw(nothing_of(scope)) for scope in dict.fromkeys(asked)]
    others = [scope for scope in draw(st.lists(scopes, max_size=2)) if scope not in asked]
    return asked, [*(draw(answers_of(scope)) for scope in others), *replies]
