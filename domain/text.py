"""A question read once: its raw text, its matching view, and the letters of that view."""

from dataclasses import dataclass
from typing import Self

from domain.fold import Folded, fold
from domain.matching import Letters, Span, letters_of


@dataclass(frozen=True, slots=True)
class Text:
    """A raw text with everything that matching needs of it."""

    raw: str
    folded: Folded
    letters: Letters

    @classmethod
    def read(cls, raw: str) -> Self:
        """Fold a raw text and find its letters."""
        folded = fold(raw)
        return cls(raw, folded, letters_of(folded))

    def raw_span(self, first: int, behind: int) -> Span:
        """Where letters stand in the raw text."""
        return self.folded.raw_span(*self.letters.span(first, behind))

    def quote(self, first: int, behind: int) -> str:
        """Letters as the user wrote them, with what stands between them."""
        start, end = self.raw_span(first, behind)
        return self.raw[start:end]
