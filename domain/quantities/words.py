"""Numbers in English and Italian words: `seven hundred and five`, `duemila`, `doubled`, `dimezzato`, `a third`.

"One", "uno" and "un" are articles. The short Italian words are read in Italian texts only: "due to" is not two.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from domain.quantities.model import Head, Kind

_EN: Final[Mapping[str, int]] = {
    **dict(zip(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), range(2, 11), strict=True)),
    **dict(zip(("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"), range(11, 17), strict=True)),
    **{"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
    **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
}
_EN_SCALES: Final[Mapping[str, int]] = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_EN_INSIDE: Final = {**_EN, **_EN_SCALES, "one": 1, "zero": 0}
_JOINED: Final = frozenset({"and", "point"})
_RHETORICAL: Final = re.compile(
    r" (?:(?:main|key|major|important|principali|chiave) )?(?:reasons?|factors?|drivers?|causes?|ways|points|aspects?"
    r"|sides|things|motivi|fattori|ragioni|cause|aspetti|elementi)(?![a-z])"
)

_IT_PARTS: Final[Mapping[str, int]] = {
    **dict(
        zip(("due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"), range(2, 11), strict=True)
    ),
    **{"undici": 11, "dodici": 12, "tredici": 13, "quattordici": 14, "quindici": 15, "sedici": 16},
    **{"diciassette": 17, "diciotto": 18, "diciannove": 19},
    **{"venti": 20, "vent": 20, "trenta": 30, "trent": 30, "quaranta": 40, "quarant": 40, "cinquanta": 50},
    **{"cinquant": 50, "sessanta": 60, "sessant": 60, "settanta": 70, "settant": 70, "ottanta": 80, "ottant": 80},
    **{"novanta": 90, "novant": 90, "uno": 1, "un": 1, "tré": 3},
}
_IT_SCALES: Final[Mapping[str, int]] = {"cento": 100, "cent": 100, "mila": 1_000, "mille": 1_000}
_IT_PIECE: Final = re.compile("|".join(sorted((*_IT_PARTS, *_IT_SCALES), key=len, reverse=True)))
_AMBIGUOUS_IT: Final = frozenset({"un", "uno", "due", "sei", "cent", "vent", "cento", "mila", "mille", "tre", "nove"})
_ARTICLES: Final = frozenset({"un", "uno", "one"})

_FIXED: Final[Sequence[tuple[str, Decimal | None, Kind]]] = (
    (r"(?:single|double|triple|doppia|due|tre)[ -](?:digits?|cifr[ae])", None, Kind.OPAQUE),
    (r"(?:two|due)[ -](?:thirds|terzi)", Decimal(2) / 3, Kind.PORTION),
    (r"(?:a|one|un)[ -](?:third|terzo)(?! (?:party|quarter|parte|trimestre))", Decimal(1) / 3, Kind.PORTION),
    (r"(?:three|tre)[ -](?:quarters|quarti)", Decimal("0.75"), Kind.PORTION),
    (r"(?:a|one|un)[ -](?:quarter of|fourth|quarto)", Decimal("0.25"), Kind.PORTION),
    (r"(?:a|one|un)[ -](?:fifth|quinto)", Decimal("0.2"), Kind.PORTION),
    (r"(?:a|one|un)[ -](?:tenth|decimo)", Decimal("0.1"), Kind.PORTION),
    (
        r"(?:a|one|two|three|four|five|six|seven|eight|nine)[ -](?:third|fourth|quarter|fifth|sixth|seventh|eighth"
        r"|ninth|tenth)s?(?! (?:party|quarter|of the year))"
        r"|(?:un|due|tre|quattro|cinque)[ -](?:quint|sest|settim|ottav|non|decim)[oi]",
        None,
        Kind.OPAQUE,
    ),
    (r"halv(?:e|ed|es|ing)|half(?! (?:year|of the year))|dimezz\w*|met[àa]|fifty-fifty", Decimal("0.5"), Kind.PORTION),
    (r"doubl(?:e|ed|es|ing)|twice|two-?fold|raddoppi\w*|doppi[oa]|duplic(?:at)?[oaie]", Decimal(2), Kind.TIMES),
    (r"tripl(?:e|ed|es|ing)|trebl(?:e|ed|es|ing)|thrice|three-?fold|triplic\w*|tripl[oa]", Decimal(3), Kind.TIMES),
    (r"quadrupl(?:e|ed|es|ing)|four-?fold|quadruplic\w*|quadruplo", Decimal(4), Kind.TIMES),
    (r"quintupl(?:e|ed|es|ing)|five-?fold|quintuplic\w*|quintuplo", Decimal(5), Kind.TIMES),
    (r"ten-?fold|decuplic\w*", Decimal(10), Kind.TIMES),
    (r"hundred-?fold|centuplic\w*", Decimal(100), Kind.TIMES),
    (
        r"dozens?|scores of|tens of|hundreds|thousands|millions|billions|trillions|decin[ae]|dozzin[ae]|centinai[ao]"
        r"|migliai[ao]|milion[ei]|miliard[oi]",
        None,
        Kind.OPAQUE,
    ),
    (r"[ivxlcdm]{2,}(?= ?(?:%|per ?cent|million|billion|usd|eur))", None, Kind.OPAQUE),
)
_FIXED_PATTERNS: Final = [(re.compile(rf"(?<!\w)(?:{form})(?!\w)"), value, kind) for form, value, kind in _FIXED]
_WORD: Final = re.compile(r"[a-zà-öø-ÿ]+")


def find_words(text: str, *, italian: bool) -> Iterator[Head]:
    """Every number of a matching view that is written in Latin words, in no particular order."""
    taken = bytearray(len(text))
    for pattern, value, kind in _FIXED_PATTERNS:
        for found in pattern.finditer(text):
            if taken.find(1, *found.span()) < 0 and not _after_digits(found, text, kind):
                taken[found.start() : found.end()] = b"\1" * (found.end() - found.start())
                yield Head(*found.span(), frozenset() if value is None else frozenset({value}), kind)
    words = [word for word in _WORD.finditer(text) if taken.find(1, *word.span()) < 0]
    yield from _english(words, text)
    yield from (head for word in words if (head := _italian(word, italian)) is not None)


def _after_digits(found: re.Match[str], text: str, kind: Kind) -> bool:
    """The scale of a number in digits ("12 millions of") is no number of its own."""
    return kind is Kind.OPAQUE and re.search(r"\d ?$", text[max(0, found.start() - 2) : found.start()]) is not None


def _english(words: Sequence[re.Match[str]], text: str) -> Iterator[Head]:
    place = 0
    while place < len(words):
        behind = _behind_run(words, place, text)
        run = [word[0] for word in words[place:behind]]
        if not run or set(run) <= {"one", "zero"} or (set(run) <= {*_EN_SCALES} and _after_number(words[place], text)):
            place = max(behind, place + 1)
            continue
        start, end = words[place].start(), words[behind - 1].end()
        if len(run) > 1 or not _RHETORICAL.match(text, end):
            yield Head(start, end, frozenset({_value(run)}))
        place = behind


def _behind_run(words: Sequence[re.Match[str]], place: int, text: str) -> int:
    """Behind the number words that follow each other from here."""
    behind = place
    while behind < len(words) and (
        words[behind][0] in _EN_INSIDE or (behind > place and words[behind][0] in _JOINED and behind + 1 < len(words))
    ):
        if behind > place and text[words[behind - 1].end() : words[behind].start()] not in {" ", "-"}:
            break
        behind += 1
    while behind > place and words[behind - 1][0] in _JOINED:
        behind -= 1
    return behind


def _after_number(word: re.Match[str], text: str) -> bool:
    """Whether a scale belongs to digits before it: "a million" is a number, the word in "$5 million" is not."""
    return re.search(r"[\d%]-? ?$", text[max(0, word.start() - 3) : word.start()]) is not None


def _value(run: Sequence[str]) -> Decimal:
    if "point" in run:
        return _with_decimals(run, run.index("point"))
    total = section = 0
    for word in run:
        if word in _JOINED:
            continue
        value = _EN_INSIDE[word]
        if word == "hundred":
            section = (section or 1) * value
        elif word in _EN_SCALES:
            total += (section or 1) * value
            section = 0
        else:
            section += value
    return Decimal(total + section)


def _with_decimals(run: Sequence[str], point: int) -> Decimal:
    behind = run[point + 1 :]
    digits = "".join(str(_EN_INSIDE[word]) for word in behind if word in _EN_INSIDE and word not in _EN_SCALES)
    value = _value(run[:point]) + Decimal(digits or "0").scaleb(-len(digits))
    for word in behind:
        value *= _EN_SCALES.get(word, 1)
    return value


def _italian(word: re.Match[str], italian: bool) -> Head | None:
    pieces = _IT_PIECE.findall(word[0])
    if not pieces or "".join(pieces) != word[0] or word[0] in _ARTICLES:
        return None
    if word[0] in _AMBIGUOUS_IT and not italian:
        return None
    if _RHETORICAL.match(word.string, word.end()):
        return None
    return Head(*word.span(), frozenset({Decimal(_italian_value(pieces))}))


def _italian_value(pieces: Sequence[str]) -> int:
    total = section = 0
    for piece in pieces:
        if piece in {"cento", "cent"}:
            section = (section or 1) * 100 if section < 10 else section + 100
        elif piece in _IT_SCALES:
            total, section = (section or 1) * 1_000, 0
        else:
            section += _IT_PARTS[piece]
    return total + section
