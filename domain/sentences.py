"""Where the sentences of a text begin and end, in Chinese, English and Italian. Pure, total, linear.

A sentence ends at its sign or at a line break. A point ends one only before a blank, and not behind an abbreviation. A
citation mark behind the point belongs to the sentence before it.
"""

import re
from typing import Final

Span = tuple[int, int]

_END: Final = re.compile(
    r"(?:[。！？!?｡]+|(?<!\.)\.(?=\s|$|\[)|…{1,2}(?=\s|$))[\"”’」』）)\]】]*(?:\s?\[\d{1,3}\])*|\n+"
)
_ABBREVIATIONS: Final = re.compile(
    r"(?:^|[^\w])(?:[A-Za-z]|[A-Z]\.[A-Z]|e\.g|i\.e|approx|ca|cf|co|corp|dott|dr|ecc|est|fig|inc|jr|ltd|mr|mrs|ms|no"
    r"|nr|pag|pp|prof|sig|spa|st|tab|vol|vs)$",
    re.IGNORECASE,
)
_ABBREVIATION_WINDOW: Final = 8


def sentence_spans(text: str) -> list[Span]:
    """The sentences of a text in order, without the blanks around them; none is empty."""
    spans: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if end[0].startswith(".") and _ABBREVIATIONS.search(
            text, max(0, end.start() - _ABBREVIATION_WINDOW), end.start()
        ):
            continue
        spans += _trimmed(text, start, end.end())
        start = end.end()
    return spans + _trimmed(text, start, len(text))


def sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, end)] if start < end else []
