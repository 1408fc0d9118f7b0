"""Questions for one-click options: sent back as they are, each gives the narrowed answer.

Either the user's own words with one name put before them or some cut out, or, where words had to go and a number is all
that is asked, the slots by their codes: codes are read in one way only.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from contracts.codes import Locale
from contracts.v1.intent import ParsedIntent, Residue
from domain.vocabulary import Role, known_words
from services.clarify.texts import wording

_EXCLUSIONS: Final = frozenset(word for word, role in known_words() if role is Role.EXCLUSION)
_EMPTY_BRACKETS: Final = re.compile(r"[(（\[【「“‘\"]\s*[)）\]】」”’\"]")
_BLANKS: Final = re.compile(r"\s+")


def naming(code: str, question: str) -> str:
    """The question with a name before it that it lacks."""
    return f"{code} {question.strip()}".strip()


def in_place_of(question: str, start: int, end: int, code: str) -> str:
    """The question with a code in place of some of its words."""
    return f"{question[:start].rstrip()} {code} {question[end:].lstrip()}".strip()


def asking_for(
    intent: ParsedIntent,
    locale: Locale,
    *,
    metrics: Sequence[str] | None = None,
    entities: Sequence[str] | None = None,
) -> str:
    """A question for the slots of `intent`, with `metrics` or `entities` in place of its own."""
    say = wording(locale)
    slots = (
        intent.entities if entities is None else entities,
        intent.metrics if metrics is None else metrics,
        intent.channels,
        [period.label for period in intent.periods],
    )
    return say.question.format(slots=" ".join(say.comma.join(codes) for codes in slots if codes))


def without(question: str, residues: Iterable[Residue]) -> str:
    """The question with those words cut out; empty when nothing but punctuation is left."""
    kept = "".join(_kept(question, residues))
    tidy = _BLANKS.sub(" ", _EMPTY_BRACKETS.sub(" ", kept)).strip()
    return tidy if any(c.isalnum() for c in tidy) else ""


def would_invert(question: str, residues: Sequence[Residue]) -> bool:
    """Whether leaving those words out may turn the question round: "不含香港的营收" without "不含" is the opposite.

    Harmless when what is excluded was not understood either, and goes with it. An unknown word beside a name that stays
    ("barring HK") may exclude it.
    """
    starts = {residue.start for residue in residues}
    if any(residue.beside_name for residue in residues):
        return True
    return any(_is_exclusion(residue) and _next_word(question, residue.end) not in starts for residue in residues)


def _is_exclusion(residue: Residue) -> bool:
    return " ".join(residue.text.casefold().split()) in _EXCLUSIONS


def _next_word(question: str, position: int) -> int:
    return position + len(question[position:]) - len(question[position:].lstrip())


def _kept(question: str, residues: Iterable[Residue]) -> Iterator[str]:
    """The stretches between the residues, with a blank for each, so that no two words grow together."""
    position = 0
    for residue in sorted(residues, key=lambda r: r.start):
        yield question[position : max(position, residue.start)]
        yield " "
        position = max(position, residue.end)
    yield question[position:]
