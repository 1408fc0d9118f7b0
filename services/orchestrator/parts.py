"""The parts of an answer, what they are worth together, and the one rule that names it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.codes import AnswerKind
from contracts.v1.ask import GuardReport, ToolResult
from contracts.v1.facts import Source
from runtime.errors import (
    DeadlineExceededError,
    FactSourceUnavailableError,
    InternalError,
    OverloadedError,
    UnavailableError,
)
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
    """One part of an answer. It found or cited something exactly when it has sources: nothing is shown without one."""

    rendered: Rendered
    sources: tuple[Source, ...] = ()
    asked_back: bool = False
    failed: bool = False
    tool_results: tuple[ToolResult, ...] = ()
    guard: GuardReport = field(default_factory=GuardReport)


def answer_kind(parts: Sequence[Part]) -> AnswerKind:
    """What the answer is worth: a find outweighs everything, then a question back, then a failure, else a refusal."""
    if any(part.sources for part in parts):
        return AnswerKind.NORMAL
    if any(part.asked_back for part in parts):
        return AnswerKind.CLARIFICATION
    if any(part.failed for part in parts):
        return AnswerKind.DEGRADED
    return AnswerKind.REFUSAL
