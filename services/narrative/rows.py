"""From what a caller sends to what is stored: label, content hash, and the reasons why a passage cannot be loaded."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from contracts.v1.base import is_visible
from contracts.v1.errors import FieldProblem
from contracts.v1.narrative import PassageRow
from domain.glossary import Glossary
from domain.profile import CompanyProfile
from services.narrative.classifier import Classifier

MAX_KEY_BYTES: Final = 2_560
"""Document and locator together, in UTF-8: what an index entry of Postgres holds."""


class Row(NamedTuple):
    """A passage as it is stored, in the order of the columns of the staging table."""

    doc_id: str
    locator: str
    title: str | None
    body: str
    entity: str | None
    period: str | None
    sensitivity: str
    content_hash: bytes

    @property
    def key(self) -> tuple[str, str]:
        """What makes it this passage and no other."""
        return self.doc_id, self.locator


class Problem(NamedTuple):
    """Why a passage cannot be loaded; `field` is empty when it is about the passage as a whole."""

    field: str
    reason: str


@dataclass(frozen=True)
class RowMaker:
    """Makes rows under one profile."""

    classifier: Classifier
    entities: frozenset[str]
    glossary: Glossary

    @classmethod
    def of(cls, profile: CompanyProfile) -> "RowMaker":
        """The rules of a profile."""
        return cls(Classifier.of(profile.sensitivity), frozenset(profile.entities), Glossary(profile))

    def make(self, passage: PassageRow) -> Row | Problem:
        """The row of a passage, or what is wrong with it beyond its shape."""
        if passage.entity is not None and passage.entity not in self.entities:
            return Problem("entity", self._advice(passage.entity))
        if len(passage.doc_id.encode()) + len(passage.locator.encode()) > MAX_KEY_BYTES:
            return Problem("locator", f"doc_id and locator together are longer than {MAX_KEY_BYTES:,} bytes")
        title = passage.title.strip() if passage.title and is_visible(passage.title) else None
        label = self.classifier.label(passage.doc_id, passage.sensitivity, title, passage.text)
        return Row(
            doc_id=passage.doc_id,
            locator=passage.locator,
            title=title,
            body=passage.text,
            entity=passage.entity,
            period=passage.period,
            sensitivity=label,
            content_hash=_hash(title, passage.text, passage.entity, passage.period, label),
        )

    def _advice(self, raw: str) -> str:
        meant = self.glossary.resolve_entity(raw)
        where = "not an entity of the profile"
        return f"{where}; write its code {meant}" if meant else f"{where}; leave it out where it is about everybody"


def make_rows(maker: RowMaker, passages: Sequence[PassageRow]) -> tuple[list[Row], list[FieldProblem]]:
    """The rows of a request, each once, and what is wrong: `passages.N.field` with its reason."""
    made = [maker.make(passage) for passage in passages]
    problems = [_named(i, item) for i, item in enumerate(made) if isinstance(item, Problem)]
    first: dict[tuple[str, str], int] = {}
    rows: list[Row] = []
    for place, row in _good(made):
        known = first.setdefault(row.key, place)
        if known == place:
            rows.append(row)
        elif row != made[known]:
            reason = f"says something else than passages.{known} for the same document and locator"
            problems.append(_named(place, Problem("", reason)))
    return rows, sorted(problems, key=_place)


def _good(made: Sequence[Row | Problem]) -> Iterator[tuple[int, Row]]:
    return ((i, item) for i, item in enumerate(made) if isinstance(item, Row))


def _named(place: int, problem: Problem) -> FieldProblem:
    return FieldProblem(field=f"passages.{place}.{problem.field}".removesuffix("."), reason=problem.reason)


def _place(problem: FieldProblem) -> int:
    return int(problem.field.split(".")[1])


def _hash(*parts: str | None) -> bytes:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()
