"""The numeric cases through the real parser and the whole flow, in one process: feedback in seconds.

The same cases run black box against started stacks in tests/cases; those that need passages are left to them.
"""

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from contracts.codes import Locale
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.facts import FactRow
from domain.profile import CompanyProfile
from services.orchestrator.flow import answer
from tests.cases import check
from tests.cases.profiles import DEFAULT, as_toml
from tests.support.answers import sample_profile
from tests.support.inprocess import ParsedInProcess, StoredFacts, ports

FOLDER = Path(check.__file__).parent
FILES = ("clarify", "gate", "structured", "multi", "composite", "robust", "history")

Case = dict[str, Any]


def cases() -> list[Case]:
    lines = (line for name in FILES for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [case for case in map(json.loads, lines) if "passages" not in case]


@cache
def profile_of(text: str) -> CompanyProfile:
    profile = json.loads(text)
    return sample_profile() if profile == DEFAULT else CompanyProfile.model_validate(as_toml(profile))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
async def test_case(case: Case) -> None:
    profile = profile_of(json.dumps(case["profile"]))
    facts = StoredFacts(FactRow.model_validate(row) for row in case.get("facts", []))
    question = AnswerQuestion(
        question=case["question"],
        reference_date=date.fromisoformat(case["reference_date"]),
        locale=Locale(case.get("locale", "zh")),
        request_id=case["id"],
        profile_digest=profile.digest(),
    )

    result = await answer(question, ports(ParsedInProcess(profile), facts), profile)

    assert check.check_case(case, observed(result, case, profile)) == []


def observed(result: AnswerResult, case: Case, profile: CompanyProfile) -> dict[str, Any]:
    """The result in the words of `check.py`."""
    shown = result.model_dump(mode="json")
    clarification = shown["clarification"]
    assumed = {key: value for key, value in clarification["assumed_slots"].items() if value}
    if "period" in assumed:
        assumed["period"] = [assumed["period"]["type"], assumed["period"]["value"]]
    summary = shown["tool_status_summary"]
    return {
        **{key: shown[key] for key in ("route", "answer_kind", "answer", "answer_plain", "sources")},
        "clarification": clarification["mode"],
        "options": clarification["narrowing_options"],
        "assumed": assumed,
        "tool_summary": {key: summary[key] for key in ("found", "not_found", "unrecognized")},
        "guard": shown["guard"]["fabrication_guard_triggered"],
        "model_calls": 0,
        "slots": slots(case, profile),
    }


def slots(case: Case, profile: CompanyProfile) -> dict[str, Any]:
    parser = ParsedInProcess(profile).parser
    parsed = parser.parse(case["question"], reference_date=date.fromisoformat(case["reference_date"]))
    return {"entity": parsed.entity, "entities": list(parsed.entities)}
