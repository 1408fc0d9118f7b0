"""What the wordings of an item are worth: each is read by the intent worker and judged by the veto, once.

The verdict holds for every question with that normal form, on every day, under this vocabulary: no question is read as
one for a number whose normal form is not. A test holds that.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from contracts.v1.intent import ParseIntent
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.errors import ProfileMismatchError
from services.clarify.faq_veto import VetoReason, veto_of_text
from services.gateway.faq.changes import Verdicts
from services.gateway.faq.normalize import normal_form
from services.gateway.ports import IntentPort

PARSES: Final = 8
"""Wordings that are read at once: the asks of users go before."""
PARSE_SECONDS: Final = 3.0
EMPTY: Final = "empty"
"""The reason of a wording of which the normal form leaves nothing."""

SCREENING_DAY: Final = date(2094, 6, 30)
"""A day on which every two digits can be a year, which they cannot before: whatever is a period on some day is one."""


@dataclass(frozen=True)
class Screening:
    """Judges wordings under one vocabulary."""

    profile: CompanyProfile
    intent: IntentPort
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARSES))

    async def verdicts(self, surfaces: Sequence[str]) -> Verdicts:
        """The normal form of each wording, and why it is not served.

        Raises what the intent hop raises, and `ProfileMismatchError` when the worker has another vocabulary.
        """
        return await asyncio.gather(*(self._verdict(normal_form(surface)) for surface in surfaces))

    async def _verdict(self, form: str) -> tuple[str, str | None]:
        if not form:
            return form, EMPTY
        return form, await self.veto(form)

    async def veto(self, text: str) -> VetoReason | None:
        """Why a text is not served, whatever item has it."""
        async with self._room:
            request = ParseIntent(question=text, reference_date=SCREENING_DAY)
            parsed = await self.intent.parse(request, Deadline.after(PARSE_SECONDS))
        if parsed.profile_digest != self.profile.digest():
            raise ProfileMismatchError
        return veto_of_text(text, parsed, self.profile)
