"""How long a question takes to be read and decided on: real ones, and the longest ones that try to be slow.

Processor time of this process, so that other load on the machine counts little. Real questions come from the sets of
`ragspine eval`, each read by the profile of its set; every question is timed once, after those before it have filled
the tables that are built on first use. What grows faster than the question is named, and ends with an error.
"""

import argparse
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from cli.eval.questions import AskedQuestion
from cli.eval.suite import Pack, read_suite
from contracts.v1.base import MAX_QUESTION_CHARS
from domain.language import choose_locale
from domain.profile import CompanyProfile, load_profile
from services.clarify.decision import decide
from services.intent.parser import RuleIntentParser

ROOT: Final = Path(__file__).resolve().parents[1]
PROFILE: Final = ROOT / "deploy/sample/profile.toml"
COMMITTED: Final = ROOT / "evaluation/real.toml"
FULL: Final = ROOT / "evaluation/full.toml"
TODAY: Final = date(2025, 6, 30)

LINEAR: Final = 2.5
"""How many times longer a question of twice the length may take."""
TRIES: Final = 15
"""Of a repeated question; the fastest counts."""
NOISE_MS: Final = 1.0
"""Below this a ratio says nothing."""
REPEATED: Final = (
    "营收",
    "香港2024营收和",
    "ＦＹ２０２４ ",
    "acme hong kong ",
    "2021-2023、",
    "二〇二四年",
    "竞安",
    "去年同期",
    "同比增长率和",
    "hk revenue divided by ",
    "a\u200bc\u200bm\u200be",
    "(",
    "blorp ",
    "1234567890",
)
"""Each is repeated until the question is as long as it may be."""


@dataclass(frozen=True)
class Growth:
    """What doubling a question costs."""

    piece: str
    half_ms: float
    whole_ms: float

    @property
    def ratio(self) -> float:
        """Of the whole question to half of it."""
        return self.whole_ms / self.half_ms

    @property
    def is_linear(self) -> bool:
        """Whether the question's length is all that it costs."""
        return self.ratio <= LINEAR or self.whole_ms < NOISE_MS


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("parse", help="how long a question takes to be read and decided on")
    parser.add_argument("--data", type=Path, help="directory of the whole sets (default: the committed ones)")
    parser.add_argument("--suite", type=Path, help="another set of questions (.toml)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print milliseconds, and end with 1 when something grows faster than the question."""
    suite = options.suite or (FULL if options.data else COMMITTED)
    everything: list[float] = []
    for pack in read_suite(suite, options.data, TODAY):
        taken = _pack(pack)
        everything += taken
        print(f"{pack.name:<12} {written(taken)}")
    print(f"{'all':<12} {written(everything)}")
    grown = [*_growths(load_profile(PROFILE))]
    for growth in grown:
        print(
            f"{MAX_QUESTION_CHARS} characters of {growth.piece!r}: {growth.whole_ms:.1f} ms, {growth.ratio:.2f} x half"
        )
    if not_linear := [growth.piece for growth in grown if not growth.is_linear]:
        raise SystemExit(f"more than {LINEAR} x for twice the length: {not_linear}")


def written(taken: Sequence[float]) -> str:
    """Median, 99th percentile and slowest of milliseconds."""
    p99 = quantiles(taken, n=100)[98] if len(taken) > 1 else taken[0]
    return f"{len(taken):>5} questions: p50 {median(taken):.2f} ms, p99 {p99:.2f} ms, slowest {max(taken):.2f} ms"


def _pack(pack: Pack) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        _, profile = pack.make_profile(Path(folder))
    return timed(profile, pack.questions, pack.reference_date)


def timed(profile: CompanyProfile, questions: Iterable[AskedQuestion], today: date) -> list[float]:
    """Milliseconds to parse each question and to decide on it."""
    parser = RuleIntentParser(profile)
    _milliseconds(parser, profile, "revenue 2024", today, None)
    return [
        _milliseconds(parser, profile, question.text, question.reference_date or today, question.default_entity)
        for question in questions
    ]


def _growths(profile: CompanyProfile) -> Iterator[Growth]:
    """Half and whole take turns, so that a slow moment of the machine meets both."""
    parser = RuleIntentParser(profile)
    for piece in REPEATED:
        questions = [(piece * MAX_QUESTION_CHARS)[: MAX_QUESTION_CHARS // part] for part in (2, 1)]
        rounds = [
            [_milliseconds(parser, profile, question, TODAY, None) for question in questions] for _ in range(TRIES)
        ]
        half, whole = map(min, zip(*rounds, strict=True))
        yield Growth(piece, half, whole)


def _milliseconds(
    parser: RuleIntentParser, profile: CompanyProfile, question: str, today: date, default_entity: str | None
) -> float:
    start = time.process_time()
    intent = parser.parse(question, reference_date=today, default_entity=default_entity)
    locale = choose_locale(question, None, profile.company.locale)
    decide(question, intent, profile, today=today, locale=locale, default_entity=default_entity)
    return (time.process_time() - start) * 1_000
