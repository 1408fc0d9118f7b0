"""Signs that no word stands for, and that change the number all the same: "‰", "≠", "↑", "₽".

Letters are cut into segments; signs stand in the gaps between them. What is no punctuation and not known is a residue.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from domain.matching import Span, is_word_char
from domain.scope.segments import Segment
from domain.text import Text

# Signs of lists, ranges and amounts, which are read elsewhere.
_KNOWN: Final = frozenset("+=|~−$£¥€₩₹")
_ANGLES: Final = frozenset("<>")
_ALWAYS: Final = frozenset("‰‱")
_MATHEMATICAL: Final = frozenset({"Sc", "Sm"})
_ARROWS: Final = ((0x2190, 0x2200), (0x27F0, 0x2800), (0x2900, 0x2980), (0x2B00, 0x2BF0))

# Enough for the characters of everyday questions; bounded, because the characters come from outside.
_REMEMBERED_CHARS: Final = 16_384


def find_signs(text: Text, segments: Sequence[Segment]) -> Iterator[Span]:
    """Where the raw text has an unknown sign outside of every segment."""
    view = text.folded.text
    signs = [place for place, char in enumerate(view) if _is_unknown(char) and not _is_bracket(char, view)]
    if not signs:
        return
    spans = [text.letters.span(segment.first, segment.behind) for segment in segments]
    for place in signs:
        if not any(start <= place < end for start, end in spans):
            yield text.folded.raw_span(place, place + 1)


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _is_unknown(char: str) -> bool:
    if char in _ALWAYS or any(first <= ord(char) < last for first, last in _ARROWS):
        return True
    return not is_word_char(char) and char not in _KNOWN and unicodedata.category(char) in _MATHEMATICAL


def _is_bracket(char: str, view: str) -> bool:
    """A pair of angles are brackets."""
    return char in _ANGLES and _ANGLES.issubset(view)
