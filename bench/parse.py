"""How long the intent parser takes, for usual questions and for the longest ones that try to be slow."""

import argparse
import time
from datetime import date
from pathlib import Path
from statistics import median
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
    parser = chosen.add_parser("parse", help=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="parses of each usual question")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print milliseconds per parse."""
    parser = RuleIntentParser(load_profile(PROFILE))
    usual = [_milliseconds(parser, question) for _ in range(options.rounds) for question in USUAL]
    print(f"usual questions: median {median(usual):.2f} ms, slowest {max(usual):.2f} ms")
    for piece in REPEATED:
        question = (piece * MAX_QUESTION_CHARS)[:MAX_QUESTION_CHARS]
        taken = median(_milliseconds(parser, question) for _ in range(5))
        print(f"{MAX_QUESTION_CHARS} characters of {piece!r}: median {taken:.1f} ms")


def _milliseconds(parser: RuleIntentParser, question: str) -> float:
    start = time.perf_counter()
    parser.parse(question, reference_date=TODAY)
    return (time.perf_counter() - start) * 1_000
