"""The competitor gate's eyes: every competitor that a raw question names, however it is written.

It compares letters and digits alone, on a view of its own: HTML entities resolved, look-alikes, accents, width, case,
invisible characters and Chinese variants folded. It reads the raw question, never what a parser made of it. Latin
names count at the edges of a word only ("Beijing annual" is not "jingan"). When in doubt it sees a competitor: a
needless refusal can be put right by the user, an answer about a competitor cannot.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick

from domain.fold import combines, is_ideographic, is_invisible, simplified, simplified_from_japanese
from domain.lookalikes import lookalikes
from domain.matching import Hit, Letters, Span, longest_first
from domain.profile import CompanyProfile

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,8};?|[A-Za-z][A-Za-z0-9]{0,31};)")
_PERCENT_CODES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_BACKSLASH_CODES: Final = re.compile(r"\\(?:u|x|U)\{?([0-9A-Fa-f]{2,6})\}?")
_TAGS: Final = re.compile(r"<[^<>]{0,200}>")
_CODE_SIGNS: Final = frozenset("%&<\\")
_LAST_CODE_POINT: Final = 0x10FFFF
_NESTED_ENTITIES: Final = 3
_BIDI_CONTROLS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONFUSABLE_SCRIPTS: Final = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LATIN", "LISU"})
_UNITS: Final = frozenset("µμΩΩ")  # Greek letters that stand beside Latin ones in honest units

# No competitor is spelled by the few characters that stand for more letters than this.
_MAX_EXPANSION: Final = 4

_REMEMBERED_CHARS: Final = 16_384
_REMEMBERED_PROFILES: Final = 8


@dataclass(frozen=True, slots=True)
class Screening:
    """What the gate saw in a raw question; spans are offsets in it."""

    names: tuple[str, ...]
    """Display names of all competitors, in the order in which they are named first."""
    spans: tuple[Span, ...]
    """Where they are named."""
    suspicious_spans: tuple[Span, ...]
    """Bidi controls, and words that mix scripts whose letters look alike."""

    @property
    def suspicious(self) -> bool:
        """Whether the question is written so that a reader may take it for another one."""
        return bool(self.suspicious_spans)


def screen(question: str, profile: CompanyProfile) -> Screening:
    """Every competitor of the profile that the raw question names."""
    return _gate(tuple((name, *aliases) for name, aliases in profile.competitors.items())).screen(question)


@lru_cache(maxsize=_REMEMBERED_PROFILES)
def _gate(competitors: tuple[tuple[str, ...], ...]) -> "_Gate":
    return _Gate({names[0]: names for names in competitors})


class _Gate:
    """The competitors of one profile, compiled once."""

    def __init__(self, competitors: Mapping[str, tuple[str, ...]]) -> None:
        self._names: dict[str, str] = {}
        for display, aliases in competitors.items():
            for alias in aliases:
                self._names.setdefault(_gate_letters(alias).text, display)
        self._names.pop("", None)
        self._displays = tuple(self._names.values())
        self._automaton = AhoCorasick(list(self._names)) if self._names else None

    def screen(self, question: str) -> Screening:
        letters = _gate_letters(question)
        hits = longest_first(self._hits(letters), bytearray(len(letters.text)))
        names = dict.fromkeys(hit.value for hit in hits)
        spans = [letters.span(hit.first, hit.behind) for hit in hits]
        hidden = [name for name in self._names_written_as_code(question) if name not in names]
        if hidden:
            names |= dict.fromkeys(hidden)
            spans = [(0, len(question))]
        return Screening(tuple(names), tuple(spans), tuple(_suspicious_spans(question)))

    def _names_written_as_code(self, question: str) -> list[str]:
        """Competitors in what a question holds as percent, backslash or nested entity codes, or between tags."""
        decoded = _decoded(question)
        if decoded == question:
            return []
        letters = _gate_letters(decoded)
        return [hit.value for hit in longest_first(self._hits(letters), bytearray(len(letters.text)))]

    def _hits(self, letters: Letters) -> Iterator[Hit[str]]:
        if self._automaton is None:
            return
        for index, first, behind in self._automaton.find_matches_as_indexes(letters.text, overlapping=True):
            if _is_edge(letters, first) and _is_edge(letters, behind):
                yield Hit(self._displays[index], first, behind)


def _decoded(text: str) -> str:
    """A text with what programs write for other characters resolved, and mark-up tags left out."""
    if _CODE_SIGNS.isdisjoint(text):
        return text
    decoded = text
    for _ in range(_NESTED_ENTITIES):
        decoded = html.unescape(decoded)
    decoded = _PERCENT_CODES.sub(lambda found: unquote(found[0], errors="ignore"), decoded)
    decoded = _BACKSLASH_CODES.sub(lambda found: _character(int(found[1], 16)) or found[0], decoded)
    return _TAGS.sub("", decoded)


def _character(code: int) -> str:
    return chr(code) if code <= _LAST_CODE_POINT else ""


def _is_edge(letters: Letters, place: int) -> bool:
    """Whether a name may begin or end between the characters before and at `place`."""
    if place in {0, len(letters.text)} or letters.gaps[place]:
        return True
    before, behind = letters.text[place - 1], letters.text[place]
    return is_ideographic(before) or is_ideographic(behind) or before.isdigit() != behind.isdigit()


def _gate_letters(text: str) -> Letters:
    """The letters and digits of a raw text as the gate compares them; a gap is any other visible character."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    gaps = [""]
    for start, end, char in _characters(text):
        letters = _gate_char(char)
        if letters is None:
            gaps[-1] = " "
        for letter in letters or ():
            out.append(letter)
            starts.append(start)
            ends.append(end)
            gaps.append("")
    return Letters("".join(out), tuple(starts), tuple(ends), tuple(gaps))


def _characters(text: str) -> Iterator[tuple[int, int, str]]:
    """The characters of a text with HTML entities resolved, each with its place in the text."""
    place = 0
    for entity in _ENTITY.finditer(text):
        yield from ((i, i + 1, text[i]) for i in range(place, entity.start()))
        yield from ((entity.start(), entity.end(), char) for char in html.unescape(entity[0]))
        place = entity.end()
    yield from ((i, i + 1, text[i]) for i in range(place, len(text)))


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _gate_char(char: str) -> str | None:
    """The letters and digits that a character passes for; empty where nothing is seen, None for any other sign."""
    if char in lookalikes():
        return lookalikes()[char]
    if is_invisible(char) or combines(char):
        return ""
    bare = "".join(c for c in unicodedata.normalize("NFKD", char) if not combines(c))
    folded = "".join(lookalikes().get(c) or c.casefold() for c in bare)
    letters = "".join(_variant(c) for c in folded if c.isalnum())
    return letters[:_MAX_EXPANSION] or None


def _variant(char: str) -> str:
    return lookalikes().get(char) or simplified().get(char) or simplified_from_japanese().get(char, char)


def _suspicious_spans(text: str) -> Iterator[Span]:
    seen = set(text)
    if len(frozenset[str]().union(*map(_confusable_script, seen))) < 2 and _BIDI_CONTROLS.isdisjoint(seen):
        return
    start, scripts = 0, set[str]()
    for i, char in enumerate(f"{text} "):
        if char in _BIDI_CONTROLS:
            yield i, i + 1
        if is_invisible(char) or combines(char):
            continue
        if char.isalnum():
            scripts |= _confusable_script(char)
            continue
        if len(scripts) > 1:
            yield start, i
        start, scripts = i + 1, set[str]()


@lru_cache(maxsize=_REMEMBERED_CHARS)
def _confusable_script(char: str) -> frozenset[str]:
    if char.isascii():
        return frozenset({"LATIN"}) if char.isalpha() else frozenset()
    name = unicodedata.name(unicodedata.normalize("NFKC", char)[0], "")
    return frozenset() if char in _UNITS else _CONFUSABLE_SCRIPTS.intersection(name.split()[:1])
