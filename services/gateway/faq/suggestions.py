"""What to vet next: questions that were answered in prose, often, and have no vetted answer. Off unless switched on.

They are counted by their normal form in bounded space, as numbers; the text of one is kept only once it was asked as
often as the operator has set. Counting happens beside the answer, never before it; it is given up rather than waited
for.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final, Protocol

from contracts.codes import AnswerKind, ClarifyMode, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult
from contracts.v1.faq import FaqSuggestion, FaqSuggestions
from services.gateway.faq.normalize import normal_form

MAX_COUNTING: Final = 32
"""Questions that are counted at the same time; beyond it one is not counted."""
MAX_CHARS: Final = 300
"""Longer questions are no recurring ones."""


class Sketch(Protocol):
    """Counts texts in bounded space."""

    async def count(self, text: str, threshold: int) -> None:
        """Count a text; keep it once it was counted `threshold` times. Never raises, never waits for long."""
        ...

    async def top(self) -> list[tuple[str, int]]:
        """The kept texts, most counted first; raises `UnavailableError`."""
        ...


@dataclass
class Suggestions:
    """Counts unmatched questions from the threshold on; 0 is off."""

    sketch: Sketch
    threshold: int
    _running: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def note(self, question: AnswerQuestion, answer: AnswerResult) -> None:
        """A question had no vetted answer and got this one."""
        if not self.threshold or len(self._running) >= MAX_COUNTING or not _is_recurring(answer):
            return
        form = normal_form(question.question)
        if not form or len(form) > MAX_CHARS:
            return
        task = asyncio.create_task(self.sketch.count(form, self.threshold))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def shown(self) -> FaqSuggestions:
        """What to vet next; raises `UnavailableError` when Redis does not say."""
        found = await self.sketch.top() if self.threshold else []
        return FaqSuggestions(
            is_on=bool(self.threshold),
            threshold=self.threshold,
            suggestions=tuple(FaqSuggestion(question=text, asked=times) for text, times in found),
        )


def _is_recurring(answer: AnswerResult) -> bool:
    """Whether an expert could have answered it: told in prose, neither refused nor asked back before that."""
    is_open = answer.clarification is None or answer.clarification.mode is ClarifyMode.NONE
    return answer.route is Route.NARRATIVE and is_open and answer.answer_kind is not AnswerKind.CLARIFICATION
