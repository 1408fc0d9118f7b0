"""Citations are kept by code: what was given is named, and what was not given is not. Pure.

A model's prose may name the given documents and point at them as `[n]`. Every given document that it does not name is
added in a list of ours; a mark, a file name, a link or a list of sources that nobody gave is taken out.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.v1.facts import Source
from contracts.v1.narrative import Passage
from services.clarify.texts import Wording

_MARK: Final = re.compile(r"(\s?)[\[【［〔]\s?\^?((?:\d{1,6}\s?[,，、;；\-–—~～]?\s?)+)[\]】］〕]")
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a narrative part: the only place of an answer where words of a model may stand.

    Made from a checked prose, or from quotes; never from a look-up.
    """

    text: str
    plain: str
    """The same without the list of sources."""


def sources_of(passages: Iterable[Passage]) -> tuple[Source, ...]:
    """Where the passages come from, each place once, in their order."""
    return tuple(dict.fromkeys(Source(doc=passage.doc_id, locator=passage.locator) for passage in passages))


def with_sources(prose: str, given: Sequence[Source], say: Wording) -> Written:
    """The prose, and below it every given source that it does not name.

    Where the prose points at sources by number, all of them are listed, so that `[n]` is the n-th of the list.
    """
    marked = _MARK.search(prose) is not None
    missing = [source for source in given if marked or not is_named(source.doc, prose)]
    if not missing:
        return Written(prose, prose)
    listed = say.semicolon.join(
        f"{one_line(source.doc)} {one_line(source.locator or '')}".strip() for source in missing
    )
    return Written(f"{prose}\n{say.sources.format(sources=listed)}", prose)


def is_named(doc: str, prose: str) -> bool:
    """Whether a text names a document as a whole: `annual_report.pdf` does not name `report.pdf`."""
    return re.search(rf"(?<![\w.\-]){re.escape(doc)}(?![\w\-])", prose, re.ASCII | re.IGNORECASE) is not None


def with_known_marks(prose: str, given: int) -> str:
    """Every mark written as `[n]`, and without the numbers that stand for no given source."""

    def cleaned(mark: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(mark[2])]
        known = "".join(f"[{number}]" for number in dict.fromkeys(numbers) if 1 <= number <= given)
        return f"{mark[1]}{known}" if known else ""

    return _MARK.sub(cleaned, prose)


def one_line(text: str) -> str:
    """A name with a line break must not be able to write a line of its own."""
    return " ".join(text.splitlines())
