"""The black-box cases of slots and routes, straight on the parser."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from contracts.v1.intent import ParsedIntent
from contracts.v1.periods import Period
from services.intent.parser import RuleIntentParser
from tests.support.profiles import profile_from_case

CASES = Path(__file__).parents[2] / "cases"
PARSERS: dict[str, RuleIntentParser] = {}


def cases_with_slots() -> Iterator[Any]:
    for name in ("intent", "gate"):
        for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if name == "intent" or "slots" in case["expect"]:
                yield pytest.param(case, id=case["id"])


def parse(case: dict[str, Any]) -> ParsedIntent:
    key = json.dumps(case["profile"], sort_keys=True)
    if key not in PARSERS:
        PARSERS[key] = RuleIntentParser(profile_from_case(case["profile"]))
    return PARSERS[key].parse(case["question"], reference_date=date.fromisoformat(case["reference_date"]))


def as_pair(period: Period | None) -> list[str] | None:
    return [period.type.value, period.value] if period else None


def slots_of(parsed: ParsedIntent) -> dict[str, Any]:
    return {
        "metric": parsed.metric,
        "entity": parsed.entity,
        "period": as_pair(parsed.period),
        "channel": parsed.channel,
        "metrics": list(parsed.metrics),
        "entities": list(parsed.entities),
        "periods": [as_pair(period) for period in parsed.periods],
        "external_entity": parsed.external_entity,
    }


@pytest.mark.parametrize("case", [*cases_with_slots()])
def test_a_question_has_the_slots_and_the_route_of_its_case(case: dict[str, Any]) -> None:
    expected = case["expect"]

    parsed = parse(case)

    slots = slots_of(parsed)
    assert {name: slots[name] for name in expected.get("slots", {})} == expected.get("slots", {})
    if "route" in expected and case["area"] == "intent":
        assert parsed.route == expected["route"]
