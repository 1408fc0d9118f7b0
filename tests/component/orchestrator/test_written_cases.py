"""The cases in which a model speaks or material is told of, through the real parser and the whole flow, in one process.

The retrieval is replaced by one that gives back the open passages of the case, as the narrative worker would.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from contracts.codes import Locale
from contracts.v1.ask import AnswerQuestion, HistoryTurn
from contracts.v1.facts import FactRow
from services.orchestrator.conversation import Message, ProviderError, ToolCall, Turn
from services.orchestrator.flow import answer
from services.orchestrator.query_metric import NAME, QueryMetric
from services.orchestrator.writing import Writer
from tests.cases import check
from tests.component.orchestrator.test_cases import FOLDER, Case, observed, profile_of
from tests.support.inprocess import Material, NoMaterial, ParsedInProcess, StoredFacts, passage, ports

FILES = ("narrative", "composite", "history", "lying", "decompose")
OPEN = {"PUBLIC", "INTERNAL"}


class CaseModel:
    """Says the turns of a case, then nothing more."""

    def __init__(self, script: Iterable[Mapping[str, Any]]) -> None:
        self.script = list(script)
        self.heard: list[Message] = []
        self.calls = 0

    async def complete(self, messages: Iterable[Message], tools: object) -> Turn:
        self.heard += messages
        self.calls += 1
        turn = self.script.pop(0) if self.script else {}
        if "error" in turn:
            raise ProviderError(turn["error"])
        calls = [_call(place, call) for place, call in enumerate(turn.get("tool_calls", ()))]
        return Turn(text=turn.get("text", ""), tool_calls=tuple(calls))


def cases() -> list[Case]:
    lines = (line for name in FILES for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [case for case in map(json.loads, lines) if "passages" in case or "model_script" in case]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
async def test_case(case: Case) -> None:
    profile = profile_of(json.dumps(case["profile"]))
    model = CaseModel(case["model_script"]) if "model_script" in case else None
    question = AnswerQuestion(
        question=case["question"],
        reference_date=date.fromisoformat(case["reference_date"]),
        locale=Locale(case.get("locale", "zh")),
        history=tuple(HistoryTurn(role=role, text=text) for role, text in case.get("history", ())),
        decompose=case.get("decompose", False),
        request_id=case["id"],
        profile_digest=profile.digest(),
    )
    these = ports(
        ParsedInProcess(profile),
        StoredFacts(FactRow.model_validate(row) for row in case.get("facts", [])),
        narrative=_material(case),
        model=model,
        writer=Writer(profile),
    )
    if these.model:
        these = replace(these, model=replace(these.model, tool=QueryMetric(profile)))

    result = await answer(question, these, profile)

    seen = observed(result, case, profile)
    if model:
        seen |= {"model_calls": model.calls, "prompts": "\n".join(map(repr, model.heard))}
    assert check.check_case(case, seen) == []


def _material(case: Case) -> Material | NoMaterial:
    rows = [row for row in case.get("passages", ()) if row.get("sensitivity", "INTERNAL").strip().upper() in OPEN]
    if not rows:
        return NoMaterial()
    return Material([passage(row["text"], row["doc_id"], row["locator"]) for row in rows])


def _call(place: int, call: Mapping[str, Any]) -> ToolCall:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(f"call_{place}", call.get("name", NAME), text)
