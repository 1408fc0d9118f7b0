"""Step 0 of the request flow: look the question up among the answers that experts vetted.

A miss means "not vetted for exactly this question": the question takes the whole flow, with every guard. Whenever a
catalogue cannot be sure (store away, deadline near, other profile), it must answer with a miss.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from contracts.v1.ask import AnswerQuestion, AnswerResult


class MissReason(StrEnum):
    """Why no vetted answer was served; counted, never shown."""

    EMPTY_CATALOGUE = "empty_catalogue"


@dataclass(frozen=True, slots=True)
class Hit:
    """A vetted answer: `route` is `faq`, and neither facts, retrieval nor a model were asked."""

    answer: AnswerResult


@dataclass(frozen=True, slots=True)
class Miss:
    """No vetted answer for exactly this question."""

    reason: MissReason


class VettedAnswers(Protocol):
    """A catalogue of vetted answers."""

    async def find(self, question: AnswerQuestion) -> Hit | Miss:
        """The vetted answer of a question, or why there is none. Never raises and never waits for long."""
        ...


class NoVettedAnswers:
    """The empty catalogue: nobody vetted an answer, so every question is a miss."""

    async def find(self, question: AnswerQuestion) -> Hit | Miss:
        """Always a miss."""
        return Miss(MissReason.EMPTY_CATALOGUE)
