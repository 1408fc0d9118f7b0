"""The index of passages: how long it takes to build, to search and to show a change, and how much memory it holds.

Texts are made up: Chinese of common and rare two-character words, about 500 characters each. Beside every figure stands
the same of a plain BM25 in Python over characters and their pairs, in the same run: another load on the machine slows
both, so the ratio is what compares between runs.
"""

import argparse
import asyncio
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import quantiles
from typing import Any, Final, Self

import psutil

from domain.profile import load_profile
from runtime.threads import take_short_turns
from services.narrative.analysis import languages_of_question
from services.narrative.computing import CHANGING, SEARCHING
from services.narrative.index import PassageIndex
from services.narrative.languages import Language
from services.narrative.ports import Change, Stored
from services.narrative.questions import Questions
from services.narrative.ranking import by_words, material, merged
from services.narrative.scope import Scope

WORDS: Final = 20_000
SENTENCES: Final = 25
PLACES: Final = 8
PROFILE: Final = Path(__file__).resolve().parents[1] / "deploy/sample/profile.toml"
WRITTEN: Final = 500
SEARCHED: Final = 50
WATCHED: Final = 0.001
"""Seconds between two turns of the loop while it is watched."""
PLAIN: Final = 2_000
"""Passages of the plain BM25: it takes as long for each as for the last, and memory for all."""
MEGABYTE: Final = 1024 * 1024


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("passages", help="the index of passages: build, search, change, memory")
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.set_defaults(run=lambda options: asyncio.run(run(options)))


async def run(options: argparse.Namespace) -> None:
    """Measure and print."""
    take_short_turns()
    texts = Texts(random.Random(7))
    before = psutil.Process().memory_info().rss
    index = PassageIndex()
    built = Took.of(lambda: _build(index, texts, options.passages))
    made = Took.of(lambda: [texts.change(number) for number in range(1_000)])
    grown = (psutil.Process().memory_info().rss - before) / MEGABYTE
    net = built.processor - made.processor / 1_000 * options.passages
    print(f"build {options.passages:,}: {net:.1f} s of the processor, {net / options.passages * 1e3:.2f} ms each")
    print(f"memory: {grown:,.0f} MiB", flush=True)

    questions = [texts.question(number) for number in range(options.questions)]
    ours = [Took.of(partial(_search, index, question)) for question in questions]
    _print("search", ours)
    changes = [Took.of(partial(_change, index, texts.change(options.passages + number))) for number in range(50)]
    _print("add one, commit, search", changes)
    stall = await _stall(index, texts, options.passages + 100)
    print(
        f"longest stall of the event loop while {WRITTEN} are added and {SEARCHED} searched: "
        f"{stall.processor * 1e3:.1f} ms of the processor, {stall.clock * 1e3:.1f} ms by the clock"
    )

    plain = PlainBm25([texts.body(number) for number in range(PLAIN)])
    theirs = [Took.of(partial(plain.search, question)) for question in questions[:50]]
    _print(f"plain BM25 in Python, {PLAIN:,} passages: search", theirs)
    for_as_many = _middle(theirs) * options.passages / PLAIN
    print(f"ratio of a search to the plain one, for as many passages: 1 : {for_as_many / _middle(ours):,.0f}")
    print(f"ratio of building: 1 : {plain.build_seconds / PLAIN / (net / options.passages):.2f}")


def _search(index: PassageIndex, question: str) -> int:
    words = _questions().read(question, Scope())
    own = languages_of_question(words.question)
    lists = [
        by_words(index.search(words, group, Scope()), words.question.text)[:PLACES]
        for group in (own, set(Language) - own)
    ]
    held = [index.relevance(words.needs, [hit.id for hit in hits], Scope()) for hits in lists]
    same, other = (material(hits, of_hits) for hits, of_hits in zip(lists, held, strict=True))
    return len(merged(same, other, PLACES))


@cache
def _questions() -> Questions:
    return Questions(load_profile(PROFILE))


def _change(index: PassageIndex, change: Change) -> None:
    index.write([change])
    index.commit()
    _search(index, "香港")


async def _stall(index: PassageIndex, texts: "Texts", first: int) -> "Took":
    """The longest time for which the loop did not turn while threads searched and wrote.

    Of the processor: what this process itself computed meanwhile, so not what others on the machine took from it.
    """
    turns: list[Took] = []
    is_over = asyncio.Event()

    async def watch() -> None:
        while not is_over.is_set():
            clock, processor = time.perf_counter(), time.process_time()
            await asyncio.sleep(WATCHED)
            late, used = time.perf_counter() - clock - WATCHED, time.process_time() - processor
            turns.append(Took(late, min(late, used)))

    watching = asyncio.create_task(watch())
    new = [texts.change(first + number) for number in range(WRITTEN)]
    await asyncio.gather(
        CHANGING.run(index.write, new),
        *(SEARCHING.run(_search, index, texts.question(number)) for number in range(SEARCHED)),
    )
    await CHANGING.run(index.commit)
    is_over.set()
    await watching
    return Took(max(turn.clock for turn in turns), max(turn.processor for turn in turns))


class Texts:
    """Made-up passages and questions; the same number always gives the same text."""

    def __init__(self, source: random.Random) -> None:
        chars = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]
        self._words = ["".join(source.choices(chars, k=2)) for _ in range(WORDS)]
        self._weights = [1 / rank for rank in range(1, WORDS + 1)]

    def body(self, number: int) -> str:
        """About 500 characters."""
        words = random.Random(number).choices(self._words, self._weights, k=SENTENCES * 10)
        return "".join("".join(words[i : i + 10]) + "。" for i in range(0, len(words), 10))

    def question(self, number: int) -> str:
        """A dozen characters."""
        return "".join(random.Random(-1 - number).choices(self._words, self._weights, k=6))

    def change(self, number: int) -> Change:
        """A passage that was loaded."""
        stored = Stored(number + 1, f"{number}.md", "¶1", None, self.body(number), None, None, "public")
        return Change(number + 1, number + 1, stored)


class PlainBm25:
    """BM25 as one writes it without a library: every question adds up postings in a dictionary."""

    def __init__(self, texts: Sequence[str]) -> None:
        start = time.process_time()
        counts = [Counter(_tokens(text)) for text in texts]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = sum(self._lengths) / len(texts)
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, count in enumerate(counts):
            for token, times in count.items():
                self._postings[token].append((number, times))
        self.build_seconds = time.process_time() - start

    def search(self, question: str) -> list[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        for token in _tokens(question):
            found = self._postings.get(token, ())
            idf = math.log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for number, times in found:
                norm = 1.5 * (0.25 + 0.75 * self._lengths[number] / self._mean)
                scores[number] += idf * times * 2.5 / (times + norm)
        return sorted(scores, key=lambda number: -scores[number])[:10]


def _tokens(text: str) -> list[str]:
    return [*text, *(text[i : i + 2] for i in range(len(text) - 1))]


def _batches(count: int) -> Iterator[range]:
    return (range(start, min(start + 1_000, count)) for start in range(0, count, 1_000))


@dataclass(frozen=True)
class Took:
    """How long something took, in seconds: by the clock, and of the processor, whatever else the machine does."""

    clock: float
    processor: float

    @classmethod
    def of(cls, work: Callable[[], object]) -> Self:
        clock, processor = time.perf_counter(), time.process_time()
        work()
        return cls(time.perf_counter() - clock, time.process_time() - processor)


def _build(index: PassageIndex, texts: "Texts", count: int) -> None:
    for batch in _batches(count):
        index.write([texts.change(number) for number in batch])
    index.commit()


def _middle(took: Sequence[Took]) -> float:
    return sorted(one.processor for one in took)[len(took) // 2]


def _print(what: str, took: Sequence[Took]) -> None:
    p99 = quantiles([one.processor for one in took], n=100)[98]
    by_clock = quantiles([one.clock for one in took], n=100)[98]
    print(
        f"{what}: p50 {_middle(took) * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms of the processor;"
        f" p99 {by_clock * 1e3:.2f} ms by the clock",
        flush=True,
    )
