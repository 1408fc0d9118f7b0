"""What a parser is. Another one may take the place of the rules; the security gate never depends on it."""

from datetime import date
from typing import Protocol

from contracts.v1.intent import ParsedIntent


class IntentParser(Protocol):
    """Turns a question into slots, a route, and the words it could not place."""

    def parse(self, question: str, *, reference_date: date, default_entity: str | None = None) -> ParsedIntent:
        """Parse any text; never raises.

        `default_entity` says whose fiscal calendar counts when the question names no entity.
        """
        ...
