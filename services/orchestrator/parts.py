"""The parts of an answer, what they are worth together, and the one rule that names it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from contracts.codes import AnswerKind
from contracts.v1.ask import GuardReport, ToolResult
from contracts.v1.facts import FactQuery, FactSeries, Source
from contracts.v1.operations import Calculation
from runtime.errors import (
    DeadlineExceededError,
    FactSourceUnavailableError,
    InternalError,
    OverloadedError,
    UnavailableError,
)
from services.orchestrator.citations import Written
from services.orchestrator.prose_numbers import Asked
from services.orchestrator.rendering import Rendered

PART_AWAY = (
    UnavailableError,
    OverloadedError,
    DeadlineExceededError,
    FactSourceUnavailableError,
    InternalError,
)
"""A part that answers with one of these has failed; the other parts of the answer still stand."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part in our own words: a verdict on facts, or a fixed sentence. No word of a model can be in it.

    It found something exactly when it has sources: nothing is shown without one.
    """

    rendered: Rendered
    sources: tuple[Source, ...] = ()
    refused: tuple[FactQuery | FactSeries, ...] = ()
    """What was asked for and is shown without a number: nothing else in the answer may give one for it."""
    asked_back: bool = False
    failed: bool = False
    tool_results: tuple[ToolResult, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    guard: GuardReport = field(default_factory=GuardReport)


@dataclass(frozen=True, slots=True)
class NarrativePart:
    """What the material says, with its sources: the only part that may hold words of a model."""

    written: Written
    sources: tuple[Source, ...]
    asked: Asked = field(default_factory=Asked)
    """What its numbers are about where they do not say so."""
    asked_back: Literal[False] = False
    failed: Literal[False] = False
    tool_results: tuple[()] = ()
    calculations: tuple[()] = ()
    guard: GuardReport = field(default_factory=GuardReport)

    @property
    def rendered(self) -> Written:
        """The text, under the name that every part has it by."""
        return self.written


AnswerPart = Part | NarrativePart


KINDS: Final = (AnswerKind.NORMAL, AnswerKind.CLARIFICATION, AnswerKind.DEGRADED, AnswerKind.REFUSAL)
"""What outweighs what in one answer: a find, then a question back, then a failure, else a refusal."""


def answer_kind(parts: Sequence[AnswerPart]) -> AnswerKind:
    """What the answer is worth: the first of its `KINDS`."""
    return min((_kind(part) for part in parts), key=KINDS.index, default=AnswerKind.REFUSAL)


def _kind(part: AnswerPart) -> AnswerKind:
    if part.sources:
        return AnswerKind.NORMAL
    if part.asked_back:
        return AnswerKind.CLARIFICATION
    return AnswerKind.DEGRADED if part.failed else AnswerKind.REFUSAL
