"""Pairs of a vetted wording and a question that is not it, both ways round: none may get the other's answer.

`faq_pairs.jsonl` holds the pairs by kind, `faq_harmless.jsonl` spellings of one wording that a reader takes for the
same. Everything is real but Redis, Postgres and the bus.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Final

from services.gateway.faq.vetted import Hit, Miss
from tests.support.profiles import acme
from tests.support.vetted import VettedHere, item

FOLDER: Final = Path(__file__).parent
SHARE_OF_HITS: Final = 0.95


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


PAIRS: Final = _rows("faq_pairs.jsonl")
HARMLESS: Final = _rows("faq_harmless.jsonl")
KINDS: Final = {"digit", "entity", "period", "polarity", "unit", "real_time", "zero_width", "traditional", "competitor"}


async def _is_hit(wording: str, question: str) -> bool:
    vetted = VettedHere(acme())
    await vetted.keep(item(wording))
    match await vetted.shortcut.find(vetted.question(question)):
        case Hit():
            return True
        case Miss():
            return False


def test_there_are_enough_pairs_of_every_kind() -> None:
    counts = Counter(row["kind"] for row in PAIRS)

    assert len({(row["item"], row["asked"]) for row in PAIRS}) == len(PAIRS) >= 300
    assert {kind for kind, count in counts.items() if count >= 10} >= KINDS
    assert len(HARMLESS) >= 200


async def test_every_wording_of_the_sets_answers_its_own_question() -> None:
    wordings = {row["item"] for row in [*PAIRS, *HARMLESS]}

    assert sorted([wording for wording in wordings if not await _is_hit(wording, wording)]) == []


async def test_no_question_gets_the_answer_of_another() -> None:
    wrong = [row for row in PAIRS if await _is_hit(row["item"], row["asked"])]
    turned = [row for row in PAIRS if await _is_hit(row["asked"], row["item"])]

    assert (wrong, turned) == ([], [])


async def test_harmless_spellings_get_the_answer() -> None:
    missed = [row for row in HARMLESS if not await _is_hit(row["item"], row["asked"])]

    assert len(missed) <= (1 - SHARE_OF_HITS) * len(HARMLESS), missed
