"""The full-text index of one worker: in memory, disposable, always made from what Postgres holds.

One writer at a time; searches see commits only. Everything here computes and blocks, so it is called in threads.
Filters are part of the query: a passage outside of the scope takes no place among the hits.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tantivy import Document, Index, Occur, Query, Schema, SchemaBuilder

from services.narrative.analysis import Field, Normal, Tokens, body_tokens, language_of, normal, title_tokens
from services.narrative.languages import Language
from services.narrative.ports import Change, Stored
from services.narrative.scope import ANY, Scope, entity_term, period_terms, term

WRITER_BYTES: Final = 48_000_000
"""What the writer gathers before it makes a segment of it."""
CANDIDATES: Final = 100
"""Hits that are worth ranking further."""

WEIGHTS: Final[dict[Field, float]] = {
    Field.GRAMS: 1.0,
    Field.WORDS: 1.0,
    Field.STEMS: 1.0,
    Field.PAIRS: 1.0,
    Field.PIECES: 0.3,
    Field.TITLE: 0.5,
}
"""What a match in each field is worth; chosen on the development sets, see docs/retrieval.md."""
EXPANSION: Final = 0.3
"""What a word of the profile that means the same as one of the question is worth against the question's own words."""

_NAMES: Final = {field: field.value for field in Field}
_ID, _LANGUAGE, _ENTITY, _PERIOD = "id", "language", "entity", "period"


class Hit(NamedTuple):
    """A passage that shares words with the question."""

    id: int
    score: float
    title: str
    """As it is compared; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Words:
    """A question as the index is asked it: its own words, and further ones that mean the same as some of them."""

    question: Normal
    same_meaning: Normal


class PassageIndex:
    """Passages by their words."""

    def __init__(self) -> None:
        self._schema = _schema()
        self._titles: dict[int, str] = {}
        self._start_anew()

    @property
    def size(self) -> int:
        """How many passages can be found."""
        return self._searcher.num_docs

    def clear(self) -> None:
        """Forget everything: the database is another one than before."""
        self._start_anew()

    def write(self, changes: Iterable[Change]) -> None:
        """Take changes in; they are found after the next `commit`."""
        for change in changes:
            if self._titles.pop(change.id, None) is not None:
                self._writer.delete_documents_by_term(_ID, change.id)
            if change.passage is not None:
                self._titles[change.id] = normal(change.passage.title or "").strip()
                self._writer.add_document(_document(change.passage))

    def commit(self) -> None:
        """Let searches see what was written."""
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, words: Words, languages: Iterable[Language], scope: Scope, limit: int = CANDIDATES) -> list[Hit]:
        """Passages of these languages and this scope that share words with a question, best first."""
        wanted = [(Occur.Should, self._in_language(words, language)) for language in languages]
        if not wanted:
            return []
        query = self._within(Query.boolean_query(wanted), scope)
        searcher = self._searcher
        found = searcher.search(query, limit, count=False).hits
        ids = searcher.fast_field_values(_ID, [address for _, address in found])
        hits = [
            Hit(int(id), score, self._titles.get(int(id), ""))
            for (score, _), id in zip(found, ids, strict=True)
            if id is not None and score > 0
        ]
        # Equal scores in the order of loading, so that two replicas answer the same.
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    def has_any(self, scope: Scope) -> bool:
        """Whether any passage is in a scope."""
        return bool(self._searcher.search(self._within(Query.all_query(), scope), 1, count=False).hits)

    def _start_anew(self) -> None:
        self._index = Index(self._schema)
        self._writer = self._index.writer(heap_size=WRITER_BYTES, num_threads=1)
        self._searcher = self._index.searcher()
        self._titles.clear()

    def _in_language(self, words: Words, language: Language) -> Query:
        own = _by_field(words.question, language)
        more = _by_field(words.same_meaning, language)
        terms = [
            (Occur.Should, self._term(field, token, WEIGHTS[field] * times))
            for field, tokens in own.items()
            for token, times in Counter(tokens).items()
        ]
        terms += [
            (Occur.Should, self._term(field, token, WEIGHTS[field] * EXPANSION))
            for field, tokens in more.items()
            for token in set(tokens).difference(own[field])
        ]
        return self._filtered(Query.boolean_query(terms), [(_LANGUAGE, [language.value])])

    def _term(self, field: Field, token: str, weight: float) -> Query:
        query = Query.term_query(self._schema, _NAMES[field], token, index_option="freq")
        return query if weight == 1 else Query.boost_query(query, weight)

    def _within(self, query: Query, scope: Scope) -> Query:
        filters: list[tuple[str, list[str]]] = []
        if scope.entities:
            filters.append((_ENTITY, [ANY, *map(term, scope.entities)]))
        if scope.periods:
            filters.append((_PERIOD, [ANY, *map(term, scope.periods)]))
        query = self._filtered(query, filters)
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, self._newest(scope))]) if scope.newest else query

    def _newest(self, scope: Scope) -> Query:
        """Each entity with its own newest period."""
        nothing = Query.const_score_query(Query.all_query(), 0.0)
        alternatives = [
            (
                Occur.Should,
                self._filtered(nothing, [(_PERIOD, [ANY, term(period)]), *self._of_entity(entity, scope)]),
            )
            for entity, period in scope.newest.items()
        ]
        return Query.boolean_query(alternatives)

    def _of_entity(self, entity: str | None, scope: Scope) -> list[tuple[str, list[str]]]:
        return [(_ENTITY, [entity_term(entity)])] if scope.entities else []

    def _filtered(self, query: Query, filters: Sequence[tuple[str, list[str]]]) -> Query:
        if not filters:
            return query
        musts = [
            (Occur.Must, Query.const_score_query(Query.term_set_query(self._schema, field, terms), 0.0))
            for field, terms in filters
        ]
        return Query.boolean_query([(Occur.Must, query), *musts])


def _schema() -> Schema:
    builder = SchemaBuilder().add_integer_field(_ID, indexed=True, fast=True)
    for name in (_LANGUAGE, _ENTITY, _PERIOD):
        builder = builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for field in Field:
        # Tokens come ready-made, joined by blanks; their places in the text are never asked for.
        builder = builder.add_text_field(field.value, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _document(passage: Stored) -> Document:
    body = Normal.read(passage.body)
    language = language_of(body)
    document = Document()
    document.add_integer(_ID, passage.id)
    document.add_text(_LANGUAGE, language.value)
    document.add_text(_ENTITY, entity_term(passage.entity))
    for period in period_terms(passage.period):
        document.add_text(_PERIOD, period)
    title = Normal.read(passage.title or "")
    for field, tokens in {**body_tokens(body, language), Field.TITLE: title_tokens(title, language)}.items():
        document.add_text(field.value, " ".join(tokens))
    return document


def _by_field(read: Normal, language: Language) -> Tokens:
    return {**body_tokens(read, language), Field.TITLE: title_tokens(read, language)}
