"""Names that follow from a label: what people type for a line item or a company, without changing what is meant.

Only rewritings that keep every meaning-bearing word are made: order around a last comma, bracketed signs of direction,
footnote marks, legal forms. Anything else would be a guess.
"""

import re
from collections.abc import Iterator
from typing import Final

_BLANKS: Final = re.compile(r"\s+")
_GLUED_FOOTNOTE: Final = re.compile(r"(?<=[a-z]{4})[1-9]$|(?<=\))[1-9]$")
_BRACKETED_FOOTNOTE: Final = re.compile(r"\s*\((?:\d{1,2}|[a-z])\)$")
_DASH_OR_COMMA: Final = r"(?:,|\s*[—–]|\s-)\s*"
_LAST_COMMA: Final = re.compile(
    rf"^(?P<what>.+?){_DASH_OR_COMMA}(?P<how>net|gross|basic|diluted|current|non-?current|total|billed|unbilled|restricted)$",
    re.I,
)
_PORTION: Final = re.compile(rf"^(?P<what>.+?){_DASH_OR_COMMA}(?P<how>(?:non-?)?current portion)$", re.I)
_FUNCTION: Final = re.compile(
    r"^(?:research and development|(?:(?:sales|selling) and )?marketing|(?:selling, )?general,? and administrative)$",
    re.I,
)
"""Lines of an income statement that are expenses by their nature."""
_DIRECTION: Final = re.compile(
    r"\s*/?\s*\((?:(?:loss|losses|expense|expenses|benefit|benefits|used|in|for|from|provision|deficit|gain|gains|income"
    r"|decrease|decreases|increase|increases)\s*)+\)",
    re.I,
)
_ABBREVIATION: Final = re.compile(r"^(?P<long>.+?)\s*\([\"“”']?(?P<short>[A-Z][A-Za-z&]*[A-Z][A-Za-z&]*)[\"“”']?\)$")
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


def metric_variants(label: str) -> Iterator[str]:
    """Other ways to write a line item."""
    plain = _BRACKETED_FOOTNOTE.sub("", _GLUED_FOOTNOTE.sub("", label))
    if plain != label:
        yield plain
    undirected = clean(_DIRECTION.sub("", plain))
    if undirected != plain:
        yield undirected
    for form in dict.fromkeys((plain, undirected)):
        yield from _reordered(form)
        if " & " in form:
            yield form.replace(" & ", " and ")
        if _FUNCTION.match(form):
            yield f"{form} expense"
            yield f"{form} expenses"


def _reordered(label: str) -> Iterator[str]:
    if match := _LAST_COMMA.match(label):
        yield f"{match['how']} {match['what']}"
    if match := _PORTION.match(label):
        yield f"{match['how']} of {match['what']}"
    if match := _ABBREVIATION.match(label):
        yield match["long"]
        yield match["short"]


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
