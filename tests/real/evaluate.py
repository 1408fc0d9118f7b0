"""Runs real questions against a running stack, or in process, and judges every answer.

    python -m tests.real.evaluate --data DIR --questions questions_real_zh.jsonl --count 50 --seed 7
    python -m tests.real.evaluate --data DIR --questions … --pack facts_real_zh.csv --url http://127.0.0.1:8080

Without `--url` the questions run in process: the real parser, clarification, guard and rendering over a dictionary of
facts. With it they go over HTTP to a stack that has loaded the pack with the profile built by `ragspine profile
from-csv`. Exit code 1 when an answer is wrong.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from contracts.v1.ask import AnswerQuestion
from runtime.errors import AskError
from services.orchestrator.flow import answer
from tests.real.judging import Judgement, Verdict, judge
from tests.real.packs import PackFacts, build, sources_of
from tests.real.questions import RealQuestion, choose, read_questions
from tests.support.inprocess import ParsedInProcess, ports

Ask = Callable[[RealQuestion], Awaitable[Mapping[str, Any]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation; 0 when no answer was wrong."""
    options = _options(arguments)
    chosen = choose(
        read_questions(options.data / options.questions), kinds=options.kinds, count=options.count, seed=options.seed
    )
    if options.pack:
        chosen = [question for question in chosen if question.pack == options.pack]
    judged = asyncio.run(_run(chosen, options))
    counts = Counter(judgement.verdict.value for _, judgement, _ in judged)
    _print(judged, counts, options)
    return 1 if counts[Verdict.WRONG] else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with facts, glossaries and questions")
    parser.add_argument("--questions", required=True, help="JSONL file in that folder")
    parser.add_argument("--kinds", nargs="+", default=["structured"])
    parser.add_argument("--count", type=int, default=50, help="how many questions; 0 means all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pack", help="only the chosen questions of this facts file")
    parser.add_argument("--url", help="a running stack; without it, in process")
    parser.add_argument("--reference-date", type=date.fromisoformat, default=date(2024, 6, 30))
    parser.add_argument("--json", type=Path, help="write every question, answer and verdict here")
    parser.add_argument("--verbose", action="store_true", help="list what was answered too")
    return parser.parse_args(arguments)


Judged = list[tuple[RealQuestion, Judgement, Mapping[str, Any]]]


async def _run(chosen: Sequence[RealQuestion], options: argparse.Namespace) -> Judged:
    judged: Judged = []
    for pack in sorted({question.pack for question in chosen if question.pack}):
        sources = sources_of(options.data, pack)
        ask = _over_http(options) if options.url else _in_process(pack, options)
        for question in (question for question in chosen if question.pack == pack):
            result = await ask(question)
            judged.append((question, judge(question, result, sources), result))
    return judged


def _in_process(pack: str, options: argparse.Namespace) -> Ask:
    with tempfile.TemporaryDirectory() as folder:
        profile = build(options.data, pack, Path(folder) / "profile.toml")
    reached = ports(ParsedInProcess(profile), PackFacts.read(options.data, pack, profile))

    async def ask(question: RealQuestion) -> Mapping[str, Any]:
        request = AnswerQuestion(
            question=question.text,
            reference_date=options.reference_date,
            default_entity=question.default_entity,
            request_id=question.id[:64],
            profile_digest=profile.digest(),
        )
        try:
            return (await answer(request, reached, profile)).model_dump(mode="json")
        except AskError as error:
            return _error(error.code.value, error.message)

    return ask


def _over_http(options: argparse.Namespace) -> Ask:
    async def ask(question: RealQuestion) -> Mapping[str, Any]:
        body: dict[str, Any] = {"question": question.text, "reference_date": options.reference_date.isoformat()}
        if question.default_entity:
            body["default_entity"] = question.default_entity
        async with httpx.AsyncClient(base_url=options.url, timeout=30) as client:
            reply = await client.post("/v1/ask", json=body)
        document = reply.json()
        return document if reply.is_success else _error(document.get("code", "error"), document.get("detail", ""))

    return ask


def _error(code: str, text: str) -> Mapping[str, Any]:
    return {
        "answer": f"{code}: {text}",
        "answer_plain": "",
        "answer_kind": "degraded",
        "clarification": None,
        "tool_results": [],
    }


def _print(judged: Judged, counts: Mapping[str, int], options: argparse.Namespace) -> None:
    say = sys.stdout.write
    for question, judgement, result in sorted(judged, key=lambda entry: (entry[1].verdict.value, entry[0].id)):
        if judgement.verdict is Verdict.ANSWERED and not options.verbose:
            continue
        say(f"{judgement.verdict.value:9} {question.id}  {question.text}\n          {judgement.reason}\n")
        if judgement.verdict is Verdict.WRONG:
            say(f"          answer: {result['answer'][:300]!r}\n")
    totals = ", ".join(f"{verdict.value} {counts.get(verdict.value, 0)}" for verdict in Verdict)
    say(f"{len(judged)} questions of {options.questions} ({', '.join(options.kinds)}; seed {options.seed}): {totals}\n")
    if options.json:
        rows = [
            {"id": q.id, "question": q.text, "pack": q.pack, "verdict": j.verdict, "reason": j.reason, "answer": a}
            for q, j, a in judged
        ]
        options.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
