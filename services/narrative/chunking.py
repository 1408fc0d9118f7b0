"""Documents cut into passages by paragraph, each with a locator that stays the same while the text around it does.

A locator is the path of headings and the number of the paragraph below them: `Results > Hong Kong ¶2`. A paragraph that
is too long for one citation is cut at the ends of sentences: `¶2.1`, `¶2.2`. Pure and linear.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from domain.fold import is_ideographic
from domain.sentences import sentences

MAX_CHARS: Final = 1_200
"""About ten lines: what a reader still finds again by eye."""
MAX_LOCATOR_CHARS: Final = 300
FRONT_MATTER: Final = frozenset({"title", "entity", "period", "sensitivity"})

_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_UNDERLINE: Final = re.compile(r"(?:=+|-{3,})[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(```+|~~~+)")
# What begins a line of its own: a list item, a cell row, a quote, a fence, code by its indent, HTML, a note.
_OWN_LINE: Final = re.compile(r"(?:[-*+•·>|<]|\d{1,3}[.)、．]|[(（]\d{1,3}[)）]|```|~~~|\[\^| {4}|\t)")
_HARD_BREAK: Final = re.compile(r"(?: {2,}|\\)$")
_FULL_LINE: Final = 40
"""Characters after which a line of a plain text was broken for its width; a shorter one was ended on purpose."""
_WIDE_MARKS: Final = frozenset("，、。；：？！）】》”’")
_META: Final = re.compile(r"([A-Za-z_]+)[ \t]*:[ \t]*(.*?)[ \t]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a document."""

    line: int
    """The physical line on which its paragraph begins, from 1."""
    locator: str
    title: str | None
    """The heading it stands under."""
    text: str


def front_matter(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """What the lines between two `---` at the start say of the document, and how many lines that takes."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    said: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() == "---":
            return said, number
        if found := _META.fullmatch(line.strip()):
            said[found[1].lower()] = found[2].strip("\"'")
    return {}, 0  # never closed: it is a rule, not a front matter


def cut_markdown(lines: Sequence[str], skip: int = 0) -> list[Piece]:
    """The paragraphs of a Markdown document below its headings; the first `skip` lines are left out."""
    outline = _Outline()
    pieces: list[Piece] = []
    for line, block in _blocks(lines, skip):
        heading = _heading(block)
        if heading is None:
            pieces += outline.pieces(line, _flowing(block))
            continue
        outline.enter(*heading[:2])
        if heading[2]:  # a heading with text right below it
            pieces += outline.pieces(line + len(block) - len(heading[2]), _flowing(heading[2]))
    return pieces


def cut_text(lines: Sequence[str]) -> list[Piece]:
    """The paragraphs of a plain text, numbered through."""
    outline = _Outline()
    return [
        piece for line, block in _blocks(lines, 0) for piece in outline.pieces(line, _flowing(block, full=_FULL_LINE))
    ]


class _Outline:
    """Where in the document we are."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._path = ""
        self._seen: Counter[str] = Counter()
        self._paragraphs: Counter[str] = Counter()

    def enter(self, level: int, heading: str) -> None:
        """A heading: paragraphs below it count from 1. The second of one path is told apart by its number."""
        self._headings = [(above, text) for above, text in self._headings if above < level]
        self._headings.append((level, heading))
        path = " > ".join(text for _, text in self._headings)[:MAX_LOCATOR_CHARS]
        self._seen[path] += 1
        self._path = path if self._seen[path] == 1 else f"{path} ({self._seen[path]})"

    def pieces(self, line: int, paragraph: str) -> Iterator[Piece]:
        """The passages of a paragraph."""
        self._paragraphs[self._path] += 1
        place = f"{self._path} ¶{self._paragraphs[self._path]}".strip()
        title = self._headings[-1][1] if self._headings else None
        parts = [paragraph] if len(paragraph) <= MAX_CHARS else list(_parts(paragraph))
        for number, part in enumerate(parts, start=1):
            yield Piece(line, place if len(parts) == 1 else f"{place}.{number}", title, part)


def _blocks(lines: Sequence[str], skip: int) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines without a blank one between them, each with the number of its first line; a fence stays whole."""
    block: list[str] = []
    fence = ""
    start = skip + 1
    for number, raw in enumerate(lines[skip:], start=skip + 1):
        line = raw.rstrip("\r\n")
        is_blank = not line.strip()
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        is_heading = not fence and _HEADING.fullmatch(line) is not None
        if block and ((is_blank and not fence) or is_heading):
            yield start, block
            block = []
        if not is_blank or fence:
            start = start if block else number
            block.append(line)
    if block:
        yield start, block


def _flowing(block: Sequence[str], full: int = 0) -> str:
    """The lines of a paragraph as one text: a line that was only broken for its width goes on in the next one.

    Else a sentence would end in its middle. `full` is how long a line must be to have been broken for its width.
    """
    text = block[0]
    is_code = _FENCE.match(text) is not None
    for above, line in pairwise(block):
        goes_on = not is_code and len(above) >= full and not _OWN_LINE.match(line) and not _HARD_BREAK.search(above)
        if not goes_on or above.lstrip().startswith("|"):
            text = f"{text.rstrip()}\n{line}"
        elif is_ideographic(text[-1]) or text[-1] in _WIDE_MARKS:
            text += line.lstrip()
        else:
            text = f"{text.rstrip()} {line.lstrip()}"
    return text.rstrip()


def _heading(block: Sequence[str]) -> tuple[int, str, Sequence[str]] | None:
    """Level and text of the heading with which a block begins, and the lines below it; None where there is none."""
    if found := _HEADING.fullmatch(block[0]):
        return len(found[1]), found[2], block[1:]
    if len(block) > 1 and _UNDERLINE.fullmatch(block[1]) and not block[0].lstrip().startswith(("|", "-", "*", ">")):
        return (1 if block[1].startswith("=") else 2), block[0].strip(), block[2:]
    return None


def _parts(paragraph: str) -> Iterator[str]:
    """A long paragraph in parts that end with a sentence; a sentence that is too long itself is cut anywhere."""
    part = ""
    for sentence in (piece for text in sentences(paragraph) for piece in _no_longer(text)):
        joined = f"{part} {sentence}" if part and part[-1].isascii() else part + sentence
        if part and len(joined) > MAX_CHARS:
            yield part
            part = sentence
        else:
            part = joined
    if part:
        yield part


def _no_longer(sentence: str) -> Iterator[str]:
    return (sentence[i : i + MAX_CHARS] for i in range(0, len(sentence), MAX_CHARS))
