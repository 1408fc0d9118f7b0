"""`ragspine.v1.ask.<app>`, `POST /v1/ask` and `ragspine.v1.orchestrator.answer`: the question and its answer."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ..codes import AnswerKind, ClarifyMode, FactStatus, GuardReason, Locale, Route
from .base import (
    MAX_HISTORY_CHARS,
    MAX_HISTORY_TURNS,
    MAX_QUESTION_CHARS,
    CleanText,
    Code,
    EdgeMessage,
    InternalMessage,
    IsoDate,
)
from .facts import DecimalText, FactQuery, Source
from .operations import Calculation
from .periods import Period

REQUEST_ID_PATTERN = r"^[A-Za-z0-9._-]{1,64}$"

RequestId = Annotated[str, Field(pattern=REQUEST_ID_PATTERN)]


def _has_words(text: str) -> str:
    if not text.strip():
        raise ValueError("the question is empty or blank")
    return text


Question = Annotated[CleanText, Field(min_length=1, max_length=MAX_QUESTION_CHARS), AfterValidator(_has_words)]


class HistoryTurn(EdgeMessage):
    """An earlier turn. It is context for generation only: no decision reads it."""

    role: Literal["user", "assistant"]
    text: CleanText


class AskRequest(EdgeMessage):
    """A question of an app or a person."""

    question: Question
    reference_date: IsoDate | None = None
    """What counts as today for relative periods; default: today in the profile's time zone."""
    locale: Locale | None = None
    """Language of the answer; default: the profile's, or that of the question."""
    default_entity: Code | None = None
    """Entity assumed when the question names none; must be one of the profile's."""
    history: tuple[HistoryTurn, ...] = Field(default=(), max_length=MAX_HISTORY_TURNS)
    decompose: bool = False
    """Let a model split the question into sub-questions, each answered by the whole flow."""
    request_id: RequestId | None = None

    @model_validator(mode="after")
    def _bounded_history(self) -> Self:
        if sum(len(turn.text) for turn in self.history) > MAX_HISTORY_CHARS:
            raise ValueError(f"history holds more than {MAX_HISTORY_CHARS} characters in total")
        return self


class AnswerQuestion(InternalMessage):
    """The gateway's request to the orchestrator: an ask whose reference date and id are settled."""

    question: Question
    reference_date: date
    locale: Locale | None = None
    default_entity: Code | None = None
    history: tuple[HistoryTurn, ...] = ()
    decompose: bool = False
    request_id: RequestId
    profile_digest: str


class ClarificationOption(InternalMessage):
    """One click: `question` sent back as it is gives the narrowed answer."""

    label: str
    question: str


class AssumedSlots(InternalMessage):
    """The slots that were assumed."""

    entity: Code | None = None
    period: Period | None = None


class Clarification(InternalMessage):
    """What was asked back, assumed or refused before any look-up."""

    mode: ClarifyMode
    question: str | None = None
    narrowing_options: tuple[str, ...] = ()
    """The labels of `options`."""
    options: tuple[ClarificationOption, ...] = ()
    assumption_note: str | None = None
    assumed_slots: AssumedSlots = AssumedSlots()


class ToolResult(InternalMessage):
    """The outcome of one asked scope, for programs."""

    status: FactStatus
    scope: FactQuery
    value: DecimalText | None = None
    unit: str | None = None
    valid_as_of: date | None = None
    source: Source | None = None
    param: str | None = None
    """The parameter that was not recognised."""
    conflicting: tuple["ConflictingValue", ...] = ()


class ConflictingValue(InternalMessage):
    """One of several values that disagree."""

    value: DecimalText
    unit: str
    valid_as_of: date | None = None
    source: Source


class ToolStatusSummary(InternalMessage):
    """How many asked scopes ended in which status."""

    found: int = 0
    not_found: int = 0
    unrecognized: int = 0
    conflicting: int = 0


class GuardReport(InternalMessage):
    """Whether the anti-fabrication guard had to speak, and what the model did."""

    fabrication_guard_triggered: bool = False
    reasons: Mapping[GuardReason, int] = {}


class CacheReport(InternalMessage):
    """Whether a vetted answer was served."""

    hit: bool = False
    type: str | None = None
    faq_id: str | None = None
    version: int | None = None
    source: str | None = None


class AnswerResult(InternalMessage):
    """The answer. Refusals and questions back are answers too, never errors."""

    request_id: RequestId
    answer: str
    answer_plain: str
    """The same text without the source suffixes."""
    route: Route
    answer_kind: AnswerKind
    clarification: Clarification | None
    """Null on a FAQ hit only."""
    tool_results: tuple[ToolResult, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    """What was computed from the figures of `tool_results`, or refused."""
    sources: tuple[Source, ...] = ()
    tool_status_summary: ToolStatusSummary = ToolStatusSummary()
    guard: GuardReport = GuardReport()
    cache: CacheReport = CacheReport()
    locale: Locale
