"""Trap questions: what a reader would call a wrong number must be asked back, and plain questions are answered.

The rows of `closed_scope.jsonl` are written from kinds of qualifiers, by what a careful person would do with the
question, and are meant for the sample company. `expect` is one of

- `asked`: asked back, and nothing is looked up;
- `refused`: a competitor is named;
- `answered:METRIC/ENTITY/PERIOD[/CHANNEL], …`: exactly these scopes are shown, in this order.

Facts are found for every scope that is looked up, so that whatever is let through shows its figure.
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

from contracts.codes import TOTAL_CHANNEL, ClarifyMode, Locale, PeriodType
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
def reached() -> Ports:
    return ports(ParsedInProcess(acme()), EveryFact())


@cache
def ask(question: str) -> AnswerResult:
    request = AnswerQuestion(
        question=question, reference_date=REFERENCE_DATE, request_id="trap", profile_digest=acme().digest()
    )
    return asyncio.run(answer(request, reached(), acme()))


def observed(result: AnswerResult) -> str:
    """What became of a question, in the words of `expect`."""
    if result.tool_results:
        return f"answered:{', '.join(written(tool.scope) for tool in result.tool_results)}"
    mode = result.clarification.mode if result.clarification else ClarifyMode.NONE
    return {ClarifyMode.ASK_FIRST: "asked", ClarifyMode.OUT_OF_SCOPE_ENTITY: "refused"}.get(mode, "told")


def written(scope: FactQuery) -> str:
    channel = () if scope.channel == TOTAL_CHANNEL else (scope.channel,)
    return "/".join((scope.metric, scope.entity, scope.period.value, *channel))


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_no_word_that_changes_the_number_is_dropped(group: str) -> None:
    became = {row["id"]: f"{observed(ask(row['question']))} on {row['question']!r}" for row in GROUPS[group]}

    assert became == {row["id"]: f"{row['expect']} on {row['question']!r}" for row in GROUPS[group]}


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_without_an_answer_no_number_is_shown_but_those_of_the_question(group: str) -> None:
    asked = [row["question"] for row in GROUPS[group] if not row["expect"].startswith("answered:")]

    texts = [(question, ask(question).answer) for question in asked]

    assert [text for question, text in texts if not set(numbers(text)) <= set(numbers(question))] == []


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_an_option_sent_back_gives_what_its_label_says(group: str) -> None:
    options = {(option.label, option.question): option for row in GROUPS[group] for option in offered(row["question"])}

    assert [option for option in options.values() if not keeps_its_word(option)] == []


def offered(question: str) -> tuple[ClarificationOption, ...]:
    clarification = ask(question).clarification
    return clarification.options if clarification else ()


def keeps_its_word(option: ClarificationOption) -> bool:
    """Whether the question of an option is answered, for the entity, metric or period alone that the label names."""
    scopes = [tool.scope for tool in ask(option.question).tool_results]
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
    assert len({row["id"] for row in ROWS}) == len({row["question"] for row in ROWS}) == len(ROWS)
    assert {row["lang"] for row in ROWS} == LANGUAGES
    assert {row["expect"].partition(":")[0] for row in ROWS} == {"asked", "refused", "answered"}
    assert all(row["id"].startswith(f"{row['kind']}-{row['lang']}-") for row in ROWS)
