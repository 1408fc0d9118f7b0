"""How long the intent parser takes, for usual questions and for the longest ones that try to be slow.

Processor time of this process, so that other load on the machine counts little.
"""

import argparse
import json
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from contracts.v1.base import MAX_QUESTION_CHARS
from domain.profile import load_profile
from services.intent.parser import RuleIntentParser

PROFILE: Final = Path(__file__).resolve().parents[1] / "deploy/sample/profile.toml"
TODAY: Final = date(2025, 6, 30)

USUAL: Final = ("中国内地FY2024的REVENUE是多少", "What was the operating profit of ACME Hong Kong last year?")
REPEATED: Final = (
    "营收",
    "香港2024营收和",
    "ＦＹ２０２４ ",
    "acme hong kong ",
    "2021-2023、",
    "二〇二四年",
    "竞安",
    "去年同期",
    "a\u200bc\u200bm\u200be",
    "(",
    "blorp ",
    "1234567890",
)
"""Each is repeated until the question is as long as it may be."""


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("parse", help="how long the intent parser takes")
    parser.add_argument("--rounds", type=int, default=200, help="parses of each usual question")
    parser.add_argument("--profile", type=Path, default=PROFILE, help="company profile to read the questions by")
    parser.add_argument("--questions", type=Path, help="JSON lines with a `question` each, instead of the usual ones")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print milliseconds per parse."""
    parser = RuleIntentParser(load_profile(options.profile))
    _milliseconds(parser, USUAL[0])  # fills the tables that are built on first use
    questions = _questions(options.questions) if options.questions else [*USUAL] * options.rounds
    taken = [_milliseconds(parser, question) for question in questions]
    print(
        f"{len(questions)} questions: p50 {median(taken):.2f} ms, p99 {quantiles(taken, n=100)[98]:.2f} ms,"
        f" slowest {max(taken):.2f} ms"
    )
    for piece in REPEATED:
        half, whole = (_repeated(parser, piece, MAX_QUESTION_CHARS // part) for part in (2, 1))
        print(f"{MAX_QUESTION_CHARS} characters of {piece!r}: {whole:.1f} ms, {whole / half:.2f} times those of half")


def _questions(path: Path) -> Sequence[str]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["question"] for line in lines]


def _repeated(parser: RuleIntentParser, piece: str, length: int) -> float:
    question = (piece * length)[:length]
    return min(_milliseconds(parser, question) for _ in range(5))


def _milliseconds(parser: RuleIntentParser, question: str) -> float:
    start = time.process_time()
    parser.parse(question, reference_date=TODAY)
    return (time.process_time() - start) * 1_000
