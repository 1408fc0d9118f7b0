"""Step 0 of the request flow: look the question up among the answers that experts vetted.

A miss means "not vetted for exactly this question": the question takes the whole flow, with every guard. Whenever a
catalogue cannot be sure (store away, deadline near, other profile), it must answer with a miss.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from contracts.v1.ask import AnswerQuestion, AnswerResult
from services.clarify.faq_veto import VetoReason


class MissReason(StrEnum):
    """Why no vetted answer was served although none was vetoed; counted, never shown to askers."""

    OFF = "off"
    """This gateway keeps no vetted answers."""
    EMPTY = "empty"
    """Nothing but blanks and marks was asked."""
    NO_ITEM = "no_item"
    NOT_READY = "not_ready"
    """The items were not screened yet under this profile."""
    UNCHECKED = "unchecked"
    """It depends on facts, and it is not known at this moment whether they are still the same."""
    COPY_UNREADABLE = "copy_unreadable"
    """Redis is away, slow, or was passed over because it was a moment ago."""
    COPY_OUTDATED = "copy_outdated"
    """Redis holds nothing, or less than what was changed since."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A vetted answer: `route` is `faq`, and neither facts, retrieval nor a model were asked."""

    answer: AnswerResult


@dataclass(frozen=True, slots=True)
class Miss:
    """No vetted answer for exactly this question."""

    reason: MissReason | VetoReason


class VettedAnswers(Protocol):
    """A catalogue of vetted answers."""

    async def find(self, question: AnswerQuestion) -> Hit | Miss:
        """The vetted answer of a question, or why there is none. Never raises and never waits for long."""
        ...


class NoVettedAnswers:
    """No catalogue: every question is a miss."""

    async def find(self, question: AnswerQuestion) -> Hit | Miss:
        """Always a miss."""
        return Miss(MissReason.OFF)
