"""Known entities that an unknown word may be meant as: written nearly so, sounding so, or a part of the name.

They are offered, never taken. Traditional forms, width and case are no difference at all: matching folds them before.
What it costs is bounded: a few words of one question, none longer than a name is, against a list compiled once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from contracts.v1.intent import Residue
from domain.fold import is_ideographic
from domain.matching import phrase_key
from domain.profile import CompanyProfile, Entity

MAX_NEAREST: Final = 5
MAX_WORDS: Final = 4
MAX_WORD_CHARS: Final = 40
"""A longer word is no misspelt name."""

_MIN_LATIN_CHARS: Final = 3
_MIN_IDEOGRAPHS: Final = 2
_MIN_PART_CHARS: Final = 4
_ALIKE: Final = 0.7  # a likeness of names
_ALIKE_IDEOGRAPHS: Final = 0.6  # one of three characters, two of five
_ALIKE_SOUND: Final = 0.85  # a final or an initial
_PART: Final = 0.7  # a part of a name, behind a slip of the pen

_REMEMBERED_PROFILES: Final = 8
_REMEMBERED_SOUNDS: Final = 16_384

Names = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Index:
    """The names of all entities as they are compared, and what each stands for."""

    keys: tuple[str, ...]
    codes: tuple[str, ...]
    sounds: tuple[str, ...]


def nearest_entities(residues: Iterable[Residue], profile: CompanyProfile) -> tuple[str, ...]:
    """The entities whose names are most like what was not understood, the most likely first; empty for none."""
    words = [key for residue in residues if _is_worth_it(key := phrase_key(residue.text))][:MAX_WORDS]
    if not words:
        return ()
    index = prepare(profile)
    best: dict[str, float] = {}  # allow-fact-number: likenesses
    for word in words:
        for place, likeness in _like(word, index):
            code = index.codes[place]
            best[code] = max(best.get(code, 0), likeness)
    return tuple(sorted(best, key=lambda code: -best[code])[:MAX_NEAREST])


def prepare(profile: CompanyProfile) -> "_Index":
    """Compile a profile's names, once; a worker does so at its start, because the table of sounds takes a while."""
    return _index(tuple((code, tuple(_names(code, entity))) for code, entity in profile.entities.items()))


def _is_worth_it(key: str) -> bool:
    least = _MIN_IDEOGRAPHS if _is_chinese(key) else _MIN_LATIN_CHARS
    return least <= len(key) <= MAX_WORD_CHARS and not key.isdigit()


def _names(code: str, entity: Entity) -> Iterator[str]:
    yield code
    yield from entity.synonyms
    if entity.label:
        yield from (name for name in (entity.label.default, entity.label.zh, entity.label.en, entity.label.it) if name)


@lru_cache(maxsize=_REMEMBERED_PROFILES)
def _index(entities: Names) -> _Index:
    """Compiled once for each vocabulary."""
    owners = {phrase_key(name): code for code, names in reversed(entities) for name in names}
    keys = tuple(key for key in owners if _is_worth_it(key))
    return _Index(keys, tuple(owners[key] for key in keys), tuple(map(_sound, keys)))


def _like(word: str, index: _Index) -> Iterator[tuple[int, float]]:  # allow-fact-number: likenesses
    least = _ALIKE_IDEOGRAPHS if _is_chinese(word) else _ALIKE
    yield from _close(word, index.keys, least)
    sound = _sound(word)
    if _is_chinese(word) or any(map(_is_chinese, index.keys)):
        yield from _close(sound, index.sounds, _ALIKE_SOUND)
    if len(word) >= (_MIN_IDEOGRAPHS if _is_chinese(word) else _MIN_PART_CHARS):
        yield from ((i, _PART) for i, key in enumerate(index.keys) if word in key or word in index.sounds[i])


def _close(
    word: str,
    names: Sequence[str],
    least: float,  # allow-fact-number: a likeness
) -> Iterator[tuple[int, float]]:  # allow-fact-number: likenesses
    """The names at a small distance: a letter more, fewer, another one, or two that changed places."""
    found = extract(word, names, scorer=OSA.normalized_similarity, score_cutoff=least, limit=MAX_NEAREST)
    return ((place, likeness) for _, likeness, place in found)


@lru_cache(maxsize=_REMEMBERED_SOUNDS)
def _sound(key: str) -> str:
    """How a name sounds: ideographs as pinyin without tones, anything else as it is."""
    if not _is_chinese(key):
        return key
    # Here, because the table takes half a second and sixty megabytes that a company without Chinese names need not pay.
    from pypinyin import Style, lazy_pinyin  # noqa: PLC0415

    return "".join(lazy_pinyin(key, style=Style.NORMAL))


def _is_chinese(key: str) -> bool:
    return any(map(is_ideographic, key))
