"""The normal form of a question: what two questions share that a reader takes for the same.

Blanks, case, width and the marks at the end are folded, and nothing else. Compatibility forms are not ("10²" is not
"102"), nor are traditional characters, zero-width ones or look-alikes: those are other surfaces, and a miss.
"""

import unicodedata
from functools import lru_cache
from typing import Final

END_MARKS: Final = frozenset("?!.,;:。、…‥~〜·‼⁇⁈⁉")
"""Marks that may stand at the end of a question and change nothing; their full-width forms are these after folding."""

_WIDTHS: Final = frozenset({"<wide>", "<narrow>"})
# Enough for the characters of everyday questions; bounded, because the characters come from outside.
_REMEMBERED_CHARS: Final = 16_384


def normal_form(text: str) -> str:
    """The normal form of a text; empty when nothing but blanks and marks is left. Applying it twice changes nothing."""
    folded = text if text.isascii() else unicodedata.normalize("NFC", "".join(map(_narrowed, text)))
    words = " ".join(folded.lower().split())
    if not words.isascii():
        words = unicodedata.normalize("NFC", words)
    end = len(words)
    while end and (words[end - 1] in END_MARKS or words[end - 1] == " "):
        end -= 1
    return words[:end]


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _narrowed(char: str) -> str:
    """The character in its usual width."""
    tag, _, code = unicodedata.decomposition(char).partition(" ")
    return chr(int(code, 16)) if tag in _WIDTHS else char
