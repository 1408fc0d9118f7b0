"""Which words of real questions a running stack does not understand: what an operator may add to the profile.

The stack's own parser is asked, over the bus, so that the report is about the vocabulary in force.
"""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from cli.console import CliError, ExitCode, command_name, note, out, print_table
from contracts import subjects
from contracts.codes import ResidueKind, Route
from contracts.reasons import reason_of
from contracts.v1.intent import ParsedIntent, ParseIntent
from domain.fold import folded_text
from runtime.deadline import Deadline
from runtime.errors import AskError
from runtime.visit import visiting

SHOWN: Final = 50
"""Words that are printed; with --json all are."""

_PARSE_SECONDS: Final = 10.0
_AT_ONCE: Final = 8

Parse = Callable[[ParseIntent], Awaitable[ParsedIntent]]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A word that was not understood: how often, why, and one question that holds it."""

    text: str
    kind: str
    count: int
    alone: int
    """In how many questions it is the only one: understanding it would answer so many."""
    example: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a vocabulary makes of a file of questions."""

    questions: int
    understood: int
    """Numeric questions in which every word is understood."""
    unmatched: int
    """Numeric questions in which some word is not."""
    without_metric: int
    """Numeric questions that name no metric of the profile."""
    narrative: int
    """Questions for no number."""
    profile_digest: str
    words: tuple[Unmatched, ...]
    """The most frequent first."""


def read_questions(path: Path) -> list[ParseIntent]:
    """Questions of a file: JSON lines with a `question` each, or plain lines. Raises `CliError` naming a wrong line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: cannot be read as text: {error}", code=ExitCode.USAGE) from error
    questions = [_question(path, n, line) for n, line in enumerate(lines, start=1) if line.strip()]
    if not questions:
        raise CliError(f"{path}: holds no questions", code=ExitCode.USAGE)
    return questions


def _question(path: Path, number: int, line: str) -> ParseIntent:
    try:
        fields = _fields(line) if path.suffix.lower() in {".jsonl", ".json"} else {"question": line.strip()}
        return ParseIntent.model_validate(fields)
    except ValidationError as error:
        reason = "; ".join(f"{'.'.join(map(str, e['loc']))}: {reason_of(e)}" for e in error.errors(include_input=False))
        raise CliError(f"{path}: line {number}: {reason}", code=ExitCode.USAGE) from None
    except ValueError:
        raise CliError(f"{path}: line {number}: is no JSON object", code=ExitCode.USAGE) from None


def _fields(line: str) -> Mapping[str, object]:
    """What a line says of a question; a set of real questions keeps the default entity in its context."""
    value: object = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError(line)
    row = cast(dict[str, object], value)
    context = row.get("context")
    inner = cast(dict[str, object], context) if isinstance(context, dict) else {}
    named = {**inner, **row}
    return {key: named[key] for key in ("question", "reference_date", "default_entity") if named.get(key) is not None}


async def parse_all(questions: Sequence[ParseIntent], parse: Parse) -> list[ParsedIntent]:
    """Parse all questions, a few at a time, in their order."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def one(question: ParseIntent) -> ParsedIntent:
        async with free:
            return await parse(question)

    return await asyncio.gather(*map(one, questions))


def report_on(questions: Sequence[ParseIntent], parsed: Sequence[ParsedIntent]) -> Report:
    """Count what was not understood; writings that matching takes for one word are one word."""
    numeric = [intent for intent in parsed if intent.route is not Route.NARRATIVE]
    return Report(
        questions=len(parsed),
        understood=sum(1 for intent in numeric if intent.metrics and not intent.pending),
        unmatched=sum(1 for intent in numeric if intent.pending),
        without_metric=sum(1 for intent in numeric if not intent.metrics),
        narrative=len(parsed) - len(numeric),
        profile_digest=parsed[0].profile_digest,
        words=tuple(_words(questions, parsed)),
    )


def _words(questions: Sequence[ParseIntent], parsed: Sequence[ParsedIntent]) -> Iterator[Unmatched]:
    counts: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    written: dict[str, Counter[tuple[str, ResidueKind]]] = defaultdict(Counter)
    examples: dict[str, str] = {}
    for question, intent in zip(questions, parsed, strict=True):
        keys = [folded_text(residue.text) for residue in intent.pending]
        alone.update(set(keys) if len(set(keys)) == 1 else ())
        for key, residue in zip(keys, intent.pending, strict=True):
            counts[key] += 1
            written[key][residue.text, residue.kind] += 1
            examples.setdefault(key, question.question)
    for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        (text, kind), _ = written[key].most_common(1)[0]
        yield Unmatched(text, kind.value, count, alone[key], examples[key])


def check_questions(path: Path, nats_url: str, *, as_json: bool) -> None:
    """Ask the stack behind `nats_url` how it reads the questions of a file, and print what it does not understand."""
    questions = read_questions(path)
    report = report_on(questions, asyncio.run(_ask(questions, nats_url)))
    if as_json:
        out.print(json.dumps(asdict(report), ensure_ascii=False, indent=2), markup=False)
    else:
        show(report)


async def _ask(questions: Sequence[ParseIntent], nats_url: str) -> list[ParsedIntent]:
    try:
        async with visiting(nats_url, "cli") as bus:

            async def parse(question: ParseIntent) -> ParsedIntent:
                deadline = Deadline.after(_PARSE_SECONDS)
                return await bus.request(subjects.INTENT_PARSE, question, ParsedIntent, deadline=deadline)

            return await parse_all(questions, parse)
    except AskError as error:
        raise CliError(error.message, hint=f"see `{command_name()} status`", code=ExitCode.DEGRADED) from error


def show(report: Report) -> None:
    """Print a report for people."""
    note(
        f"{report.questions} questions, profile {report.profile_digest}: {report.understood} understood,"
        f" {report.unmatched} with unmatched words, {report.without_metric} without a metric,"
        f" {report.narrative} for no number"
    )
    rows = [
        (str(word.count), str(word.alone), word.text, word.kind, " ".join(word.example.split()))
        for word in report.words[:SHOWN]
    ]
    print_table(out, ("count", "alone", "word", "kind", "example"), rows, right="count")
    if len(report.words) > SHOWN:
        note(f"and {len(report.words) - SHOWN} more; all with --json")
