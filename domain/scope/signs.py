"""Signs that no word stands for, and that change the number all the same: "‰", "≠", "↑", "₽".

Letters are cut into segments; signs stand in the gaps between them. What is no punctuation and not known is a residue.
"""

import unicodedata
from collections.abc import Iterator, Sequence
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


def find_signs(text: Text, segments: Sequence[Segment]) -> Iterator[Span]:
    """Where the raw text has an unknown sign outside of every segment."""
    view = text.folded.text
    spans = [text.letters.span(segment.first, segment.behind) for segment in segments]
    for place, char in enumerate(view):
        if _is_unknown(char, view) and not any(start <= place < end for start, end in spans):
            yield text.folded.raw_span(place, place + 1)


def _is_unknown(char: str, view: str) -> bool:
    if char in _ALWAYS or any(first <= ord(char) < last for first, last in _ARROWS):
        return True
    if is_word_char(char) or char in _KNOWN or unicodedata.category(char) not in _MATHEMATICAL:
        return False
    # A pair of angles are brackets.
    return char not in _ANGLES or not _ANGLES.issubset(view)
