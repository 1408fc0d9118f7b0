"""Trap questions: what a reader would call a wrong number must be asked back, and plain questions are answered.

The rows of `closed_scope.jsonl` are written from kinds of qualifiers, by what a careful person would do with the
question, and are meant for the sample company. `expect` is one of

- `asked`: asked back, and nothing is looked up;
- `refused`: a competitor is named;
- `answered:METRIC/ENTITY/PERIOD[/CHANNEL], …`: exactly these scopes are shown, in this order;
- `growth:…`, `difference:…`, `ratio:…`, `share:…`, `ranking:…`: these scopes are shown, and that is computed from them.

A row with `"profile": "ratios"` is meant for the sample company with `RATIOS` declared. Facts are found for every
scope that is looked up, so that whatever is let through shows its figure.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from contracts.codes import TOTAL_CHANNEL, ClarifyMode, Locale, OperationKind, PeriodType
from contracts.v1.ask import AnswerQuestion, AnswerResult, ClarificationOption
from contracts.v1.facts import FactOutcomes, FactQuery, FactValue, FindNewest, Found, NewestPeriods, QueryFacts
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from services.orchestrator.flow import answer
from services.orchestrator.ports import Ports
from tests.properties.promise import numbers
from tests.support.inprocess import ParsedInProcess, ports
from tests.support.profiles import REFERENCE_DATE, acme

Row = Mapping[str, str]

ROWS: Final[list[Row]] = [
    json.loads(line) for line in (Path(__file__).parent / "closed_scope.jsonl").read_text(encoding="utf-8").splitlines()
]
GROUPS: Final = defaultdict[str, list[Row]](list)
for each in ROWS:
    GROUPS[f"{each['kind']}-{each['lang']}"].append(each)
RATIOS: Final = {
    "PROFIT_MARGIN": {
        "numerator": "PROFIT",
        "denominator": "REVENUE",
        "synonyms": ["profit margin", "营运利润率", "margine di profitto"],
    },
    "SALES_MULTIPLE": {"numerator": "NEWSALES", "denominator": "REVENUE", "unit": "TIMES", "synonyms": ["新签倍数"]},
}
LANGUAGES: Final = {"zh", "en", "it"}


class EveryFact:
    """`FactPort` that finds a figure for whatever is looked up."""

    async def query(self, request: QueryFacts) -> FactOutcomes:
        fact = FactValue(value=Decimal("98765.4"), unit="USD_M", source_doc_id="d", source_locator="l")
        return FactOutcomes(outcomes=tuple(Found(query=query, fact=fact) for query in request.queries))

    async def newest(self, request: FindNewest) -> NewestPeriods:
        every = ("2024", "2023"), ("2024H2",), ("2025Q1", "2024Q4"), ("2025M04",), ("2025Q1YTD",)
        kinds = dict(zip(PeriodType, every, strict=True))
        periods = [Period(type=kind, value=value) for kind in request.kinds or PeriodType for value in kinds[kind]]
        return NewestPeriods(series=tuple(tuple(periods) for _ in request.series))


@cache
def company(name: str) -> CompanyProfile:
    return {"": acme(), "ratios": CompanyProfile.model_validate(acme().model_dump() | {"derived": RATIOS})}[name]


@cache
def reached(profile: str) -> Ports:
    return ports(ParsedInProcess(company(profile)), EveryFact())


@cache
def ask(question: str, profile: str = "") -> AnswerResult:
    digest = company(profile).digest()
    request = AnswerQuestion(question=question, reference_date=REFERENCE_DATE, request_id="trap", profile_digest=digest)
    return asyncio.run(answer(request, reached(profile), company(profile)))


def ask_row(row: Row) -> AnswerResult:
    return ask(row["question"], row.get("profile", ""))


def observed(result: AnswerResult) -> str:
    """What became of a question, in the words of `expect`."""
    if result.tool_results:
        became = result.calculations[0].kind.value if result.calculations else "answered"
        return f"{became}:{', '.join(written(tool.scope) for tool in result.tool_results)}"
    mode = result.clarification.mode if result.clarification else ClarifyMode.NONE
    return {ClarifyMode.ASK_FIRST: "asked", ClarifyMode.OUT_OF_SCOPE_ENTITY: "refused"}.get(mode, "told")


def written(scope: FactQuery) -> str:
    channel = () if scope.channel == TOTAL_CHANNEL else (scope.channel,)
    return "/".join((scope.metric, scope.entity, scope.period.value, *channel))


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_no_word_that_changes_the_number_is_dropped(group: str) -> None:
    became = {row["id"]: f"{observed(ask_row(row))} on {row['question']!r}" for row in GROUPS[group]}

    assert became == {row["id"]: f"{row['expect']} on {row['question']!r}" for row in GROUPS[group]}


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_without_an_answer_no_number_is_shown_but_those_of_the_question(group: str) -> None:
    asked = [row for row in GROUPS[group] if row["expect"] in {"asked", "refused"}]

    texts = [(row["question"], ask_row(row).answer) for row in asked]

    assert [text for question, text in texts if not set(numbers(text)) <= set(numbers(question))] == []


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_an_option_sent_back_gives_what_its_label_says(group: str) -> None:
    options = {(option.label, option.question): (option, row) for row in GROUPS[group] for option in offered(row)}

    assert [option for option, row in options.values() if not keeps_its_word(option, row.get("profile", ""))] == []


def offered(row: Row) -> tuple[ClarificationOption, ...]:
    clarification = ask_row(row).clarification
    return clarification.options if clarification else ()


def keeps_its_word(option: ClarificationOption, profile: str) -> bool:
    """Whether the question of an option is answered, for the entity, metric or period alone that the label names.

    What is computed for it may need other figures beside.
    """
    result = ask(option.question, profile)
    scopes = [entry.operands[0] for entry in result.calculations] or [tool.scope for tool in result.tool_results]
    named = dict(labels(acme())).get(option.label)
    if named is None and option.label.removeprefix("FY")[:4].isdecimal():
        named = option.label
    return bool(scopes) and all(named in {None, s.entity, s.metric, s.period.label} for s in scopes)


def labels(profile: CompanyProfile) -> Iterator[tuple[str, str]]:
    for locale in Locale:
        yield from ((profile.entity_label(code, locale), code) for code in profile.entities)
        yield from ((profile.metric_label(code, locale), code) for code in profile.metrics)


def test_the_rows_are_well_formed() -> None:
    assert len(ROWS) >= 400
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert len({(row["question"], row.get("profile")) for row in ROWS}) == len(ROWS)
    assert {row["lang"] for row in ROWS} == LANGUAGES
    assert {row["expect"].partition(":")[0] for row in ROWS} == {"asked", "refused", "answered", *OperationKind}
    assert all(row["id"].startswith(f"{row['kind']}-{row['lang']}-") for row in ROWS)
