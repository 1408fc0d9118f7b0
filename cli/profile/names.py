"""Names that follow from the label of a company or the code of a channel, without changing what is meant."""

import re
from collections.abc import Iterator
from typing import Final

_BLANKS: Final = re.compile(r"\s+")
_LEGAL_LATIN: Final = re.compile(
    r",?\s+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|n\.?v|s\.?a|s\.?p\.?a|ag|se|gmbh)\.?$",
    re.I,
)
_LEGAL_CHINESE: Final = re.compile(r"(?:股份有限公司|有限责任公司|有限公司)$")
_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]")
_PART_OF_COMPANY: Final = re.compile(r"^(?P<company>.+?) - (?P<part>.+)$")
_SEGMENT: Final = re.compile(r"\s+segment$", re.I)
_MIN_CHINESE_CHARS: Final = 4


def clean(label: str) -> str:
    """A label on one line."""
    return _BLANKS.sub(" ", label).strip()


def entity_variants(name: str) -> Iterator[str]:
    """Other ways to write a company: without legal form, without brackets, and a part by its own name."""
    if match := _PART_OF_COMPANY.match(name):
        part = _SEGMENT.sub("", match["part"])
        company = _without_legal_form(match["company"])
        yield from (part, f"{part} segment", f"{company} {part}", f"{company}'s {part}")
        return
    for form in dict.fromkeys((name, _BRACKETS.sub("", name))):
        if form != name:
            yield form
        short = _without_legal_form(form)
        if short != form:
            yield short


def _without_legal_form(name: str) -> str:
    latin = _LEGAL_LATIN.sub("", name)
    if latin != name:
        return latin.rstrip(",")
    chinese = _LEGAL_CHINESE.sub("", name)
    return chinese if len(chinese) >= _MIN_CHINESE_CHARS else name


def channel_names(code: str) -> Iterator[str]:
    """What a channel's code says in words: `I_PHONE` is `i phone` and `iphone`."""
    words = code.replace("_", " ").lower()
    yield words
    yield words.replace(" ", "")
