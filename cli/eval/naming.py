"""Which names of the profile stand in a question, found by looking for the names themselves.

The parser under test is not asked: what it overlooks must not excuse it. Without a profile nothing is known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cli.eval.citing import StoredCodes
from cli.eval.questions import AskedQuestion
from contracts.codes import Locale
from contracts.v1.facts import FactQuery
from domain.fold import folded_text
from domain.profile import CompanyProfile

_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_BUILDING: Final = frozenset(
    {
        *("a", "al", "alla", "amount", "amounts", "an", "and", "anno", "april", "are", "as", "at"),
        *("august", "be", "between", "by", "chiuso", "come", "company", "companys", "december", "dei"),
        *("del", "dell", "della", "delle", "di", "did", "does", "e", "end", "ended", "era", "erano"),
        *("esercizio", "february", "figure", "figures", "fiscal", "for", "from", "fy", "give", "group"),
        *("groups", "had", "has", "have", "how", "il", "importo", "in", "is", "it", "its", "january"),
        *("july", "june", "l", "la", "le", "lo", "many", "march", "may", "me", "much", "nel", "nell"),
        *("nella", "november", "october", "of", "on", "or", "per", "quale", "quali", "quanti"),
        *("quanto", "reported", "respective", "respectively", "rispettivamente", "s", "september"),
        *("show", "societa", "società", "sono", "stata", "stato", "tell", "the", "their", "there"),
        *("to", "un", "una", "valore", "value", "values", "was", "were", "what", "which", "year"),
        *("years", "è"),
    }
)
"""Words that questions are built with in English and Italian; they name nothing."""


@dataclass(frozen=True)
class Names:
    """The names of a profile."""

    profile: CompanyProfile | None

    @cached_property
    def codes(self) -> StoredCodes:
        """Which stored codes belong to which metric."""
        return StoredCodes(self.profile)

    def is_specified(self, question: AskedQuestion) -> bool:
        """Whether the question names metric, entity and year of every expected figure, and no other word is left.

        A default entity is as good as a named one. What is left over is looked for in Latin writing only: Chinese has
        no words to look for, so there naming everything is enough.
        """
        if self.profile is None or not question.facts:
            return False
        scopes = [fact.scope for fact in question.facts]
        if not all(self.is_named(question, scope) for scope in scopes):
            return False
        names = [name for scope in scopes for name in (*self._metric_names(scope), *self._entity_names(scope))]
        return _words_left(_view(question.text), names) <= {_singular(word) for word in _BUILDING}

    def is_named(self, question: AskedQuestion, scope: FactQuery) -> bool:
        """Whether the question names this scope; a question without any year leaves the period open."""
        if self.profile is None:
            return True
        text = _view(question.text)
        assumed = question.default_entity or self.profile.company.default_entity
        return (
            _has_one(text, self._metric_names(scope))
            and (scope.entity == assumed or _has_one(text, self._entity_names(scope)))
            and _has_year(text, scope.period.value[:4])
        )

    def _metric_names(self, scope: FactQuery) -> Sequence[str]:
        code = self.codes.metric_of(scope.metric)
        metric = self.profile.metrics.get(code) if self.profile else None
        if self.profile is None or metric is None:
            return ()
        return [code, *metric.synonyms, *(self.profile.metric_label(code, locale) for locale in Locale)]

    def _entity_names(self, scope: FactQuery) -> Sequence[str]:
        code = scope.entity
        entity = self.profile.entities.get(code) if self.profile else None
        if self.profile is None or entity is None:
            return ()
        return [code, *entity.synonyms, *(self.profile.entity_label(code, locale) for locale in Locale)]


def _has_year(text: str, year: str) -> bool:
    years = set(_YEAR.findall(text))
    is_between = bool(years) and min(years) <= year <= max(years)
    return is_between or re.search(rf"(?<!\d){year[2:]}(?:财?年)|fy ?{year[2:]}(?!\d)", text) is not None


def _has_one(text: str, names: Sequence[str]) -> bool:
    return any(pattern.search(text) for pattern in _patterns(names))


def _words_left(text: str, names: Sequence[str]) -> set[str]:
    for pattern in _patterns(names):
        text = pattern.sub(" ", text)
    return {word for word in _WORD.findall(text) if word.isascii()}


def _patterns(names: Sequence[str]) -> Iterator[re.Pattern[str]]:
    """The longest first, so that a name is not cut by one that it holds."""
    for name in sorted(dict.fromkeys(map(_view, names)), key=len, reverse=True):
        written = re.escape(name)
        yield re.compile(rf"(?<![^\W_]){written}(?![^\W_])" if name.isascii() else written)


def _view(text: str) -> str:
    """A text as names are compared: folded, and every Latin word in the singular."""
    return _WORD.sub(lambda found: _singular(found[0]), folded_text(text))


def _singular(word: str) -> str:
    if len(word) < _SHORTEST or not word.endswith("s") or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


_SHORTEST: Final = 4
"""Shorter words are compared as they stand: `its`, `gas`."""
