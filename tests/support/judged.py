"""Answers of the real flow on the sample's facts, and what the judge of `ragspine eval` says of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from cli.eval.citing import StoredFigure
from cli.eval.judging import Judgement, judge
from cli.eval.naming import Names
from cli.eval.questions import AskedQuestion, ExpectedFact, Kind
from cli.sample import FACTS, read_rows
from contracts.codes import Locale
from contracts.v1.ask import AnswerQuestion, AnswerResult, ToolResult
from contracts.v1.facts import FactRow
from services.orchestrator.flow import answer
from services.orchestrator.ports import Ports
from tests.support.inprocess import ParsedInProcess, StoredFacts, ports
from tests.support.profiles import REFERENCE_DATE, acme


@cache
def sample_rows() -> tuple[FactRow, ...]:
    return tuple(FactRow.model_validate(row) for row in read_rows(FACTS))


@cache
def sample_figures() -> tuple[StoredFigure, ...]:
    """The facts of the sample, as the fact store would list them."""
    return tuple(
        StoredFigure(
            metric=row.metric_code,
            entity=row.entity,
            period_type=row.period_type,
            period=row.period,
            channel=row.channel,
            value=row.value,
            unit=row.unit,
            doc=row.source_doc_id,
            locator=row.source_locator,
        )
        for row in sample_rows()
    )


@cache
def _reached() -> Ports:
    return ports(ParsedInProcess(acme()), StoredFacts(sample_rows()))


@cache
def said(text: str) -> AnswerResult:
    """The answer to a question, on the sample's facts."""
    request = AnswerQuestion(
        question=text, reference_date=REFERENCE_DATE, request_id="judged", profile_digest=acme().digest()
    )
    return asyncio.run(answer(request, _reached(), acme()))


def expected(period: str, value: str, *, metric: str = "REVENUE", entity: str = "ACME_HK") -> ExpectedFact:
    unit = "PCT" if metric == "ROE" else "USD_M"
    return ExpectedFact.model_validate(
        {"metric": metric, "entity": entity, "period": period, "value": value, "unit": unit}
    )


def question(text: str, *facts: ExpectedFact, kind: Kind = Kind.STRUCTURED, **fields: Any) -> AskedQuestion:
    asked = AskedQuestion(id="q", lang=Locale.EN, kind=kind, subkind="", text=text, facts=facts)
    return replace(asked, **fields)


def judged(
    asked: AskedQuestion, result: AnswerResult | None = None, *, stored: Sequence[StoredFigure] | None = None
) -> Judgement:
    """What the judge says of an answer; by default of the one that the flow gives."""
    facts = sample_figures() if stored is None else stored
    return judge(asked, said(asked.text) if result is None else result, facts, Names(acme()))


def with_tool(result: AnswerResult, **fields: Any) -> AnswerResult:
    """The same answer with another first look-up."""
    first, *others = result.tool_results
    changed = ToolResult.model_validate(first.model_dump(mode="json") | fields)
    return result.model_copy(update={"tool_results": (changed, *others)})
