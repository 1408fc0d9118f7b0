"""Passages of files: JSONL as it stands, Markdown and plain text cut by paragraph. Each with its physical line.

A Markdown or text file is a whole document: what it no longer says is withdrawn when it is loaded again. JSONL may hold
a part of a document, so nothing follows from what it leaves out.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from contracts.v1.narrative import PassageRow
from runtime.errors import problems_of
from runtime.text_files import FileError, RepeatedNameError, TextFile, open_lines, without_repeats
from services.narrative.chunking import FRONT_MATTER, Piece, cut_markdown, cut_text, front_matter
from services.narrative.rows import Problem, Row, RowMaker

MAX_LINE_CHARS: Final = 1_000_000
_JSONL: Final = frozenset({".jsonl", ".ndjson"})
_MARKDOWN: Final = frozenset({".md", ".markdown"})
_TEXT: Final = frozenset({".txt", ".text"})
SUFFIXES: Final = _JSONL | _MARKDOWN | _TEXT

Numbered = tuple[int, Row | tuple[Problem, ...]]
"""The physical line, from 1, and the row or what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to load."""

    path: Path
    doc_id: str
    """What the document is called: the file's path below what was named, with forward slashes."""

    @property
    def is_document(self) -> bool:
        """Whether the file is a whole document, and no list of passages."""
        return self.path.suffix.lower() not in _JSONL


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of all documents of a load; what a document says of itself counts more."""

    fields: dict[str, str] = field(default_factory=dict[str, str])


def find_sources(paths: Sequence[Path]) -> tuple[list[Source], int]:
    """The files to load, and how many others a folder holds; raises `FileError`.

    A folder is read to its depth; what begins with a dot is left alone.
    """
    sources: list[Source] = []
    others = 0
    for path in paths:
        if path.is_dir():
            found = [file for file in sorted(path.rglob("*")) if file.is_file() and not _is_hidden(file, path)]
            loadable = [file for file in found if file.suffix.lower() in SUFFIXES]
            others += len(found) - len(loadable)
            sources += [Source(file, file.relative_to(path).as_posix()) for file in loadable]
        elif path.exists() and path.suffix.lower() not in SUFFIXES:
            raise FileError(f"{path}: is none of {', '.join(sorted(SUFFIXES))}")
        else:
            sources.append(Source(path, path.name))
    first: dict[str, Path] = {}
    for source in sources:
        known = first.setdefault(source.doc_id, source.path)
        if known != source.path and source.is_document:
            raise FileError(f"{source.path}: would be the same document as {known}; load the folder above both")
    return sources, others


def _is_hidden(file: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(below).parts)


def open_passages(source: Source) -> AbstractContextManager[TextFile]:
    """Open a file; raises `FileError`."""
    return open_lines(source.path, max_chars=MAX_LINE_CHARS, save_as="UTF-8 text")


def read_passages(source: Source, file: TextFile, maker: RowMaker, said: Said) -> Iterator[Numbered]:
    """The rows of an open file; raises `FileError` when it cannot be read to its end."""
    read = _read_document if source.is_document else _read_jsonl
    return file.guarded(read(source, file.lines, maker, said))


def _read_jsonl(source: Source, lines: Iterator[str], maker: RowMaker, said: Said) -> Iterator[Numbered]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _of_object(line, maker, said)


def _of_object(line: str, maker: RowMaker, said: Said) -> Row | tuple[Problem, ...]:
    try:
        parsed: object = json.loads(line, object_pairs_hook=without_repeats)
    except RepeatedNameError as error:
        return (Problem(str(error), "is named twice"),)
    except (ValueError, RecursionError):
        return (Problem("", "is not JSON: each line must be one object"),)
    if not isinstance(parsed, dict):
        return (Problem("", "must be a JSON object with the fields of a passage"),)
    return _row({**said.fields, **cast("dict[str, object]", parsed)}, maker)


def _read_document(source: Source, lines: Iterator[str], maker: RowMaker, said: Said) -> Iterator[Numbered]:
    text = list(lines)
    own, skip = front_matter(text) if source.path.suffix.lower() in _MARKDOWN else ({}, 0)
    cut: Callable[[], list[Piece]] = (
        (lambda: cut_markdown(text, skip)) if source.path.suffix.lower() in _MARKDOWN else (lambda: cut_text(text))
    )
    about = {**said.fields, **{name: value for name, value in own.items() if name in FRONT_MATTER and value}}
    for piece in cut():
        title = piece.title or about.get("title")
        place = {"doc_id": source.doc_id, "locator": piece.locator, "title": title, "text": piece.text}
        yield piece.line, _row({**about, **place}, maker)


def _row(fields: Mapping[str, object], maker: RowMaker) -> Row | tuple[Problem, ...]:
    try:
        made = maker.make(PassageRow.model_validate(fields))
    except ValidationError as error:
        return tuple(Problem(problem.field, problem.reason) for problem in problems_of(error))
    return (made,) if isinstance(made, Problem) else made
