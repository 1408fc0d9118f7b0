"""Opt-in: a model splits a question, and every guard of the question holds for each of its parts.

The gate screens the original first, so that a question about a competitor alone reaches no model. A split that adds a
name, a period or a word that was not asked for, or loses one that was, is no split: the question then takes the normal
path as it is. No answer is made here.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, cast

from contracts.codes import ResidueKind, Route
from contracts.v1.ask import AnswerQuestion
from contracts.v1.base import MAX_QUESTION_CHARS, MAX_SUBTASKS
from contracts.v1.intent import ParsedIntent
from domain.fold import fold
from domain.profile import CompanyProfile
from domain.screening import Screening, screen
from services.orchestrator.conversation import Model, ProviderError
from services.orchestrator.prompts import splitting_messages

MAX_PARTS: Final = 8
MAX_REPLY_CHARS: Final = 20_000

Parse = Callable[[str], Awaitable[ParsedIntent]]
"""The slots of a question, under the same date and default entity as the original."""


@dataclass(frozen=True, slots=True)
class Read:
    """A question with what the gate and the parser see in it."""

    question: str
    screening: Screening
    intent: ParsedIntent

    def values(self) -> tuple[frozenset[str], ...]:
        """What it names: metrics, entities, periods, channels."""
        slots = self.intent
        periods = frozenset(f"{period.type} {period.value}" for period in slots.periods)
        return frozenset(slots.metrics), frozenset(slots.entities), periods, frozenset(slots.channels)


async def split(ask: AnswerQuestion, model: Model, profile: CompanyProfile, parse: Parse) -> tuple[str, ...]:
    """The sub-questions, at least two; none for the normal path. Raises what `parse` raises."""
    original = Read(ask.question, screen(ask.question, profile), await parse(ask.question))
    if _is_settled(original):
        return ()
    try:
        turn = await model.complete(splitting_messages(ask, profile), ())
    except ProviderError:
        return ()
    questions = read_questions(turn.text)
    if len(questions) < 2:
        return ()
    parts = [Read(question, screen(question, profile), await parse(question)) for question in questions]
    return questions if may_stand_for(original, parts) else ()


def read_questions(reply: str) -> tuple[str, ...]:
    """The questions of a JSON list of strings, each once; none for anything else."""
    text = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if len(text) > MAX_REPLY_CHARS:
        return ()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else []
    questions = tuple(dict.fromkeys(item.strip() for item in items if isinstance(item, str)))
    fits = all(0 < len(question) <= MAX_QUESTION_CHARS and question.isprintable() for question in questions)
    is_whole = all(isinstance(item, str) for item in items) and len(questions) <= MAX_PARTS
    return questions if fits and is_whole else ()


def may_stand_for(original: Read, parts: Sequence[Read]) -> bool:
    """Whether the parts together ask what the original asks: nothing more, nothing else, and nothing less."""
    asked = sum(prod(max(1, len(values)) for values in part.values()) for part in parts)
    return asked <= MAX_SUBTASKS and all(_adds_nothing(original, part) for part in parts) and _keep_all(original, parts)


def _is_settled(original: Read) -> bool:
    """Whether no split can help: refused, to be typed again, or computed from everything that is named together."""
    about_others_only = bool(original.screening.names) and not original.intent.entities
    suspicious = any(residue.kind is ResidueKind.SUSPICIOUS for residue in original.intent.residues)
    unclear = suspicious or original.screening.suspicious
    return about_others_only or unclear or original.intent.operation is not None


def _adds_nothing(original: Read, part: Read) -> bool:
    names = set(part.screening.names)
    whole = fold(original.question).text
    return (
        not part.screening.suspicious
        and names <= set(original.screening.names)
        and all(own <= all_of for own, all_of in zip(part.values(), original.values(), strict=True))
        and all(fold(residue.text).text in whole for residue in part.intent.residues)
        and (part.intent.latest is None or original.intent.latest is not None)
        and (bool(names) or not _lacks_scope(original, part))
    )


def _lacks_scope(original: Read, part: Read) -> bool:
    """Whether something would be assumed in place of what the original names."""
    _, entities, periods, channels = part.values()
    _, all_entities, all_periods, all_channels = original.values()
    if bool(all_entities or original.screening.names) and not entities:
        return True
    if part.intent.route is Route.NARRATIVE:
        return False
    dated = bool(periods) or part.intent.latest is not None
    return bool(all_periods and not dated) or bool(all_channels and not channels)


def _keep_all(original: Read, parts: Sequence[Read]) -> bool:
    named = [frozenset[str]().union(*kind) for kind in zip(*(part.values() for part in parts), strict=True)]
    words = [fold(part.question).text for part in parts]
    tells = original.intent.route is Route.STRUCTURED or any(
        part.intent.route is not Route.STRUCTURED for part in parts
    )
    return (
        tells
        and all(kept >= all_of for kept, all_of in zip(named, original.values(), strict=True))
        and {name for part in parts for name in part.screening.names} == set(original.screening.names)
        and all(any(fold(residue.text).text in text for text in words) for residue in original.intent.residues)
        and (original.intent.latest is None or any(part.intent.latest for part in parts))
    )
