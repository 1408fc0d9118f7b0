"""The matching view of a text: what words are compared on, with offsets back into the raw text.

Two texts that a reader takes for the same fold to the same view: width and compatibility forms (NFKC), letter case,
invisible characters, traditional and simplified Chinese. Every character of the view knows which part of the raw text
it stands for, so that an answer can quote the user's own words. Linear in the length of the text.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, Protocol, cast

import opencc

# The ranges that hold ideographs with a traditional or variant form.
_IDEOGRAPH_RANGES: Final = ((0x3400, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))

# Printable by category, yet nothing to see: joiners, fillers and variation selectors.
_INVISIBLE: Final = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)]
) | frozenset(range(0xE0100, 0xE01F0))


# A few single characters stand for a whole phrase (U+FDFA for eighteen letters): those stay what they are.
_MAX_EXPANSION: Final = 3

# Enough for the characters of everyday questions; bounded, because the characters come from outside.
_REMEMBERED_CHARS: Final = 16_384


@dataclass(frozen=True, slots=True)
class Folded:
    """A matching view. Character `i` of `text` stands for `starts[i]:ends[i]` of the raw text."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the raw text for which a non-empty part of the view stands."""
        return self.starts[start], self.ends[end - 1]

    def folded_span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the view that stands for a part of the raw text; empty where that part is invisible."""
        first = bisect_right(self.ends, start)
        return first, max(first, bisect_left(self.starts, end))


class _Converter(Protocol):
    """What is used of opencc, which declares no types."""

    def convert(self, text: str) -> str: ...


def fold(text: str) -> Folded:
    """The matching view of a text: NFKC, case folded, visible, simplified; every white space is one blank."""
    if text.isascii() and text.isprintable():
        return _one_to_one_view(text.lower())
    views = [*map(_plain_view, text)]
    if None not in views:
        view = "".join(cast("list[str]", views))
        if len(view) == len(text):
            return _one_to_one_view(view)
    return _fold_clusters(text)


def _one_to_one_view(view: str) -> Folded:
    """A view of which every character stands for the one at its own place."""
    return Folded(view, tuple(range(len(view))), tuple(range(1, len(view) + 1)))


def _fold_clusters(text: str) -> Folded:
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, cluster in _clusters(text):
        view = _fold_char(cluster) if len(cluster) == 1 else _normal_form(cluster)
        out.append(view)
        starts.extend([start] * len(view))
        ends.extend([end] * len(view))
    return Folded("".join(out), tuple(starts), tuple(ends))


def folded_text(text: str) -> str:
    """The matching view without its offsets: for aliases and vocabulary."""
    return fold(text).text


def _clusters(text: str) -> list[tuple[int, int, str]]:
    """Split a text into visible characters with the marks that combine with them, invisible ones left out."""
    visible = [(i, char) for i, char in enumerate(text) if not is_invisible(char)]
    heads = [k for k, (_, char) in enumerate(visible) if k == 0 or not combines(char)]
    if len(heads) == len(visible):
        return [(i, i + 1, char) for i, char in visible]
    found: list[tuple[int, int, str]] = []
    for head, behind in pairwise([*heads, len(visible)]):
        start, end = visible[head][0], visible[behind - 1][0] + 1
        found.append((start, end, "".join(char for _, char in visible[head:behind])))
    return found


@lru_cache(maxsize=_REMEMBERED_CHARS)
def is_invisible(char: str) -> bool:
    """Whether a reader sees nothing where this character stands (white space is seen)."""
    return ord(char) in _INVISIBLE or not (char.isprintable() or char.isspace())


@lru_cache(maxsize=_REMEMBERED_CHARS)
def combines(char: str) -> bool:
    """Whether this character is a mark on the one before it."""
    return not char.isascii() and unicodedata.category(char).startswith("M")


IDEOGRAPHIC: Final = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0010ffff"
"""What `is_ideographic`, for a class of characters in a pattern."""


def is_ideographic(char: str) -> bool:
    """Whether words are written without blanks in the script of this character: ideographs, kana, Hangul."""
    code = ord(char)
    return code >= 0x2E80 and (code < 0xA000 or 0xAC00 <= code < 0xD7B0 or 0xF900 <= code < 0xFB00 or code >= 0x20000)


@cache
def simplified() -> dict[str, str]:
    """Traditional and Hong Kong or Taiwan variant characters, each with its simplified form; one to one."""
    return _one_to_one("hk2s")


@cache
def simplified_from_japanese() -> dict[str, str]:
    """Japanese forms of characters, each with its simplified Chinese form; for the competitor gate only.

    Some of them are ordinary Chinese characters of another meaning, so that ordinary matching must not merge them.
    """
    traditional, to_simplified = _one_to_one("jp2t"), _one_to_one("t2s")
    return {char: to_simplified.get(form, form) for char, form in traditional.items()}


def _one_to_one(config: str) -> dict[str, str]:
    chars = [chr(code) for first, last in _IDEOGRAPH_RANGES for code in range(first, last)]
    converter = cast("_Converter", opencc.OpenCC(config))
    forms = converter.convert("\n".join(chars)).split("\n")
    return {char: form for char, form in zip(chars, forms, strict=True) if len(form) == 1 and form != char}


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _plain_view(char: str) -> str | None:
    """The view of a character that stands alone; None for what is invisible, or belongs to the one before it."""
    return None if is_invisible(char) or combines(char) else _fold_char(char)


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _fold_char(char: str) -> str:
    return " " if char.isspace() else _normal_form(char)


def _normal_form(cluster: str) -> str:
    view = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    if len(view) > _MAX_EXPANSION * len(cluster):
        return cluster
    return "".join(" " if char.isspace() else simplified().get(char, char) for char in view)
