"""Forms: ways in which periods are written, and where in a text each of them can be tried.

Most texts hold few of the words and signs that periods are written with. A form says what every text that it reads
contains, so that it is not tried on any other. Forms that begin with a number or a word are tried where one begins.
Both save time only: the result is that of trying every form everywhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from heapq import merge
from typing import Final, NamedTuple

from ahocorasick_rs import AhoCorasick

from domain.periods.atoms import Clock, Meaning, Unreadable
from domain.periods.words import NOT_AFTER_WORD, NUMBER_LEFT

Read = Callable[[re.Match[str], Clock], Meaning | None]

Need = tuple[str, ...]
"""Words of which every text that a form reads contains at least one."""

DIGIT: Final[Need] = ("0-9",)
"""Stands for a digit of any script."""


class Start(Enum):
    """Where the matches of a form begin."""

    ANYWHERE = auto()
    NUMBER = auto()
    """With a digit that no other number or word runs into."""
    WORD = auto()
    """With a letter, digit or tick that no other word runs into."""
    NUMBER_OR_WORD = auto()


class Form(NamedTuple):
    """One way of writing, and what it means."""

    pattern: re.Pattern[str]
    read: Read
    needs: tuple[Need, ...]
    start: Start


def form(pattern: str, read: Read, *needs: str | Need, start: Start | None = None) -> Form:
    """A form from the text of its pattern, and the words (or alternatives of words) that it cannot do without."""
    begins = start or _start_of(pattern)
    required = [need if isinstance(need, tuple) else (need,) for need in needs]
    if begins is Start.NUMBER:
        required.append(DIGIT)
    return Form(re.compile(pattern), read, tuple(required), begins)


def unreadable(_match: re.Match[str], _clock: Clock) -> Meaning:
    """Reads what never can be honoured."""
    return Unreadable()


class Places:
    """Where in a text forms can begin; looked for once per text, when the first form asks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[Start, Sequence[int]] = {}

    def of(self, start: Start) -> Sequence[int]:
        """The places of one kind, in order."""
        if start not in self._known:
            self._known[start] = self._find(start)
        return self._known[start]

    def _find(self, start: Start) -> Sequence[int]:
        if start is Start.NUMBER_OR_WORD:
            return list(dict.fromkeys(merge(self.of(Start.NUMBER), self.of(Start.WORD))))
        return [found.start() for found in _BEGINNINGS[start].finditer(self._text)]


def matches(form: Form, text: str, places: Places) -> Iterator[re.Match[str]]:
    """The matches of a form from left to right, none inside another: those of `Pattern.finditer`."""
    if form.start is Start.ANYWHERE:
        yield from form.pattern.finditer(text)
        return
    behind = 0
    for place in places.of(form.start):
        found = form.pattern.match(text, place) if place >= behind else None
        if found is not None:
            behind = found.end()
            yield found


class Forms:
    """A fixed set of forms, in their order, and which of them are worth trying on a text."""

    def __init__(self, forms: Iterable[Form]) -> None:
        self._forms = tuple(forms)
        needs = dict.fromkeys((DIGIT, *(need for form in self._forms for need in form.needs)))
        bits = {need: 1 << number for number, need in enumerate(needs)}
        self._digit = bits.pop(DIGIT)
        # One pass over the text finds the words; each stands for the needs that it meets, and a form for those it has.
        words: dict[str, int] = {}
        for need, bit in bits.items():
            for word in need:
                words[word] = words.get(word, 0) | bit
        self._words = AhoCorasick(list(words))
        self._meets = tuple(words.values())
        bits[DIGIT] = self._digit
        self._wants = tuple(sum(bits[need] for need in set(form.needs)) for form in self._forms)

    def worth_trying(self, text: str) -> list[Form]:
        """The forms whose needs a text meets."""
        met = self._digit if any(map(str.isdecimal, text)) else 0
        for word, _, _ in self._words.find_matches_as_indexes(text, overlapping=True):
            met |= self._meets[word]
        return [form for form, wants in zip(self._forms, self._wants, strict=True) if not wants & ~met]


_BEGINNINGS: Final = {
    Start.NUMBER: re.compile(rf"{NUMBER_LEFT}(?=\d)"),
    Start.WORD: re.compile(rf"{NOT_AFTER_WORD}(?=[a-z'’\d])"),
}


def _start_of(pattern: str) -> Start:
    """Where matches begin, by how the pattern begins."""
    if pattern.startswith(NUMBER_LEFT):
        return Start.NUMBER
    return Start.WORD if pattern.startswith(NOT_AFTER_WORD) else Start.ANYWHERE
