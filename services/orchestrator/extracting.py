"""The answer without a model: sentences of the passages, word for word, each with the number of its passage. Pure.

The same question and passages give the same sentences. Nothing is joined, shortened or reworded.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, takewhile
from typing import Final

from contracts.v1.narrative import Passage
from domain.fold import IDEOGRAPHIC, fold
from domain.matching import phrase_key
from domain.sentences import sentences
from domain.vocabulary import known_words

MAX_SENTENCES: Final = 4
MAX_FROM_ONE_PASSAGE: Final = 2
MAX_SENTENCE_CHARS: Final = 600
"""A longer one is a table or a broken text, not a sentence to quote."""
_ENOUGH: Final = 0.4
"""A further sentence is quoted when it says at least this share of what the best one says of the question."""

_WORD: Final = re.compile(r"[^\W_]+")
_RUN: Final = re.compile(rf"([{IDEOGRAPHIC}]+)|([^{IDEOGRAPHIC}]+)")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence and the passage it stands in."""

    sentence: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class _Candidate:
    quote: Quote
    rank: int
    place: int
    terms: frozenset[str]


def extract(question: str, passages: Sequence[Passage], may_quote: Callable[[str], bool]) -> tuple[Quote, ...]:
    """The sentences that say most about the question, in the order of the passages; empty when none may be quoted.

    Where no sentence shares a word with the question (a passage in another language), the first one of the best
    passage is quoted: that the passages answer the question is the retrieval's finding, not ours.
    """
    candidates = _candidates(passages)
    asked = terms_of(question)
    rarity = _rarity(candidates)
    scores = {id(c): sum(rarity[term] for term in sorted(c.terms & asked)) for c in candidates}
    ranked = sorted(candidates, key=lambda c: (-scores[id(c)], c.rank, c.place))
    allowed = (candidate for candidate in ranked if may_quote(candidate.quote.sentence))
    first = next(allowed, None)
    if first is None:
        return ()
    best = scores[id(first)]
    enough = takewhile(lambda c: best > 0 and scores[id(c)] >= best * _ENOUGH, allowed)
    picked = sorted(_spread(chain([first], enough)), key=lambda c: (c.rank, c.place))
    return tuple(candidate.quote for candidate in picked)


def terms_of(text: str) -> frozenset[str]:
    """What two texts are compared by: words that are no mere words of a question, and pairs of ideographs."""
    found: set[str] = set()
    for word in _WORD.findall(fold(text).text):
        for run, latin in _RUN.findall(word):
            if latin and latin not in _question_words():
                found.add(latin)
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)) if run)
    return frozenset(found)


@cache
def _question_words() -> frozenset[str]:
    return frozenset(phrase_key(word) for word, _ in known_words())


def _candidates(passages: Sequence[Passage]) -> list[_Candidate]:
    seen: set[str] = set()
    found: list[_Candidate] = []
    for rank, passage in enumerate(passages):
        for place, sentence in enumerate(sentences(passage.text)):
            if sentence in seen or len(sentence) > MAX_SENTENCE_CHARS:
                continue
            seen.add(sentence)
            found.append(_Candidate(Quote(sentence, passage), rank, place, terms_of(sentence)))
    return found


def _rarity(candidates: Sequence[_Candidate]) -> Counter[str]:
    """A term that every sentence has tells them apart no further, but still counts a little."""
    seen_in = Counter(term for candidate in candidates for term in candidate.terms)
    return Counter({term: math.log1p(len(candidates) / times) for term, times in seen_in.items()})


def _spread(ranked: Iterable[_Candidate]) -> list[_Candidate]:
    picked: list[_Candidate] = []
    for candidate in ranked:
        from_here = sum(other.rank == candidate.rank for other in picked)
        if from_here < MAX_FROM_ONE_PASSAGE:
            picked.append(candidate)
        if len(picked) == MAX_SENTENCES:
            break
    return picked
