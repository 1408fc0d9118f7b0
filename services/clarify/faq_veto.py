"""Why a vetted answer may not be served: the only part of clarification that the gateway may use.

It can say no, and nothing else. What a text asks for depends on its letters and the profile alone, so it is decided
once, when an item is admitted; what depends on the item and the day is decided at every look-up. When in doubt: no.
"""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from contracts.codes import FaqState, Route
from contracts.v1.intent import ParsedIntent
from domain.fold import folded_text
from domain.profile import CompanyProfile
from domain.screening import screen
from domain.sensitivity import is_open
from services.clarify.cues import has_realtime_cue

RULES_VERSION: Final = 1
"""Grows with every change of these rules: verdicts of other versions do not count."""

# What a program would turn into other characters: it reads differently before and after.
_MARKUP: Final = re.compile(r"&(?:#|[a-z])|%[0-9a-f]{2}|\\[a-z0-9]|<[a-z/!]")


class VetoReason(StrEnum):
    """Why an item is not served for a question, in the order in which the reasons are looked for."""

    STRUCTURED_NUMERIC = "structured_numeric"
    COMPETITOR = "competitor"
    REAL_TIME = "real_time"
    SUSPICIOUS = "suspicious"
    NOT_APPROVED = "not_approved"
    STALE = "stale"
    CLOSED_SENSITIVITY = "closed_sensitivity"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms an item may be served."""

    state: FaqState
    sensitivity: str | None
    valid_from: date | None = None
    valid_until: date | None = None
    """The last day."""


def veto_of_text(text: str, intent: ParsedIntent, profile: CompanyProfile) -> VetoReason | None:
    """Why no vetted answer may be served for this text, whatever it says; `intent` is what the parser made of it."""
    screening = screen(text, profile)
    if screening.names or intent.external_entities:
        return VetoReason.COMPETITOR
    if asks_for_a_number(intent):
        return VetoReason.STRUCTURED_NUMERIC
    if has_realtime_cue(text, profile.faq.realtime_cues):
        return VetoReason.REAL_TIME
    if screening.suspicious or intent.residues or _MARKUP.search(folded_text(text)):
        return VetoReason.SUSPICIOUS
    return None


def asks_for_a_number(intent: ParsedIntent) -> bool:
    """Whether facts take part in the answer: the route says so, or the text names anything that facts are kept by."""
    has_slot = intent.metrics or intent.entities or intent.periods or intent.latest is not None
    return bool(has_slot) or intent.route is not Route.NARRATIVE


def veto_of_item(terms: Terms, today: date) -> VetoReason | None:
    """Why an item may not be served on that day, whatever it is asked."""
    if terms.state is FaqState.STALE:
        return VetoReason.STALE
    if terms.state is not FaqState.APPROVED:
        return VetoReason.NOT_APPROVED
    if not is_open(terms.sensitivity):
        return VetoReason.CLOSED_SENSITIVITY
    if terms.valid_from is not None and today < terms.valid_from:
        return VetoReason.NOT_YET_VALID
    if terms.valid_until is not None and today > terms.valid_until:
        return VetoReason.EXPIRED
    return None
