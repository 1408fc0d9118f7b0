"""Real questions with what they expect, and a reproducible choice of them."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ZH_PACK = "facts_real_zh.csv"


@dataclass(frozen=True)
class ExpectedFact:
    """A figure that must be shown, digit by digit."""

    metric: str
    entity: str
    period: str
    value: str
    unit: str


@dataclass(frozen=True)
class RealQuestion:
    """One question of a pack."""

    id: str
    kind: str
    subkind: str
    text: str
    pack: str
    default_entity: str | None
    facts: tuple[ExpectedFact, ...]
    derived: str | None
    must_not_return_number: bool


def read_questions(path: Path) -> list[RealQuestion]:
    """All questions of a JSONL file."""
    with path.open(encoding="utf-8") as lines:
        return [_question(json.loads(line)) for line in lines if line.strip()]


def choose(questions: Iterable[RealQuestion], *, kinds: Sequence[str], count: int, seed: int) -> list[RealQuestion]:
    """`count` questions of these kinds (0: all), the same for the same seed."""
    wanted = sorted((q for q in questions if q.kind in kinds), key=lambda q: q.id)
    return wanted if count <= 0 else random.Random(seed).sample(wanted, min(count, len(wanted)))


def _question(raw: dict[str, Any]) -> RealQuestion:
    expect = raw["expect"]
    derived = expect.get("derived")
    return RealQuestion(
        id=raw["id"],
        kind=raw["kind"],
        subkind=raw["subkind"],
        text=raw["question"],
        pack=raw.get("pack") or (ZH_PACK if raw["lang"] == "zh" else ""),
        default_entity=(raw.get("context") or {}).get("default_entity"),
        facts=tuple(
            ExpectedFact(f["metric"], f["entity"], f["period"], f["value"], f["unit"]) for f in expect["facts"]
        ),
        derived=str(derived.get("value_printed", derived)) if isinstance(derived, dict) else derived,
        must_not_return_number=bool(expect.get("must_not_return_number")),
    )
