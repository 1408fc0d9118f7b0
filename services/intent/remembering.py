"""A parser that remembers what it read last: a parse is pure, so the same question gives the same slots.

Dashboards and programs ask the same questions over and over. What is kept is bounded in number, and so in bytes by the
length of a question; it lives in this process alone and ends with it, as the vocabulary it was read by does.
"""

from datetime import date
from functools import lru_cache
from typing import Final

from contracts.v1.intent import ParsedIntent
from services.intent.ports import IntentParser

REMEMBERED: Final = 1_024


class RememberingParser:
    """Reads a question once as long as it is among the last ones; `today` is part of what is remembered."""

    def __init__(self, parser: IntentParser, *, remembered: int = REMEMBERED) -> None:
        @lru_cache(maxsize=remembered)
        def read(question: str, reference_date: date, default_entity: str | None) -> ParsedIntent:
            return parser.parse(question, reference_date=reference_date, default_entity=default_entity)

        self._read = read

    def parse(self, question: str, *, reference_date: date, default_entity: str | None = None) -> ParsedIntent:
        """What the parser behind it says; a frozen message, so that nobody can change what is remembered."""
        return self._read(question, reference_date, default_entity)
