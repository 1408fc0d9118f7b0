"""The passages of one language in a full-text index: in memory, disposable, made from what Postgres holds.

A language by itself keeps its own statistics: how rare a word is and how long a passage is say something among texts of
one language only. Everything here computes and blocks, so it is called in threads; filters are part of the query.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tantivy import Document, Index, Occur, Query, Schema, SchemaBuilder

from services.narrative.analysis import Field, Normal, Tokens, body_tokens, title_tokens
from services.narrative.languages import Language
from services.narrative.ports import Stored
from services.narrative.scope import ANY, Scope, entity_term, period_terms, term

WRITER_BYTES: Final = 48_000_000
"""What the writer gathers before it makes a segment of it."""

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
COVERED: Final[dict[Field, float]] = {
    Field.GRAMS: 1.0,
    Field.WORDS: 1.0,
    Field.STEMS: 1.0,
    Field.PAIRS: 0.5,
    Field.PIECES: 0.3,
}
"""What a token counts for where it is asked how much of a question a passage holds."""
IMAGINED: Final = 300
"""Passages imagined beside the real ones, with none of the words: among five texts nothing is rare or common."""
RARITY_POWER: Final = 1.5
"""Rare words count for more than their share: common ones are what unrelated texts have in common."""
ENOUGH: Final[dict[Language, float]] = {Language.ZH: 0.27, Language.EN: 0.265, Language.IT: 0.19}
"""The share of what is asked that a passage on the matter holds at least, as its language is cut into tokens; chosen on
the development sets, see docs/retrieval.md."""

_NAMES: Final = {field: field.value for field in Field}
_ALSO_IN_TITLE: Final = frozenset({Field.GRAMS, Field.STEMS})
_ID, _ENTITY, _PERIOD = "id", "entity", "period"


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a question asks about."""

    words: Normal
    names: tuple[Normal, ...] = ()
    """Everything that it is called, where it has a name: one of them must be there whole. Empty: any word counts."""
    narrowed_to: tuple[str, ...] = ()
    """The entities that it names, where the search is narrowed to them: a passage of one of them need not name it, and
    naming it says nothing of the matter."""

    def across(self) -> "Need":
        """What of it can be found in a language of other letters; a number alone says nothing."""
        runs = tuple(run for run in self.words.runs if not run[1])
        says_something = self.names or any(not run.isdigit() for run, _ in runs)
        return self if self.names else replace(self, words=Normal(self.words.text, runs if says_something else ()))


@dataclass(frozen=True, slots=True)
class Words:
    """A question as the index is asked it: its own words, further ones that mean the same, and what it needs."""

    question: Normal
    same_meaning: Normal
    needs: tuple[Need, ...] = ()


class Shard:
    """The passages of one language, by their words."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._schema = _schema()
        self._changed = False
        self.clear()

    @property
    def size(self) -> int:
        """How many passages can be found."""
        return self._searcher.num_docs

    def clear(self) -> None:
        """Forget everything."""
        self._index = Index(self._schema)
        self._writer = self._index.writer(heap_size=WRITER_BYTES, num_threads=1)
        self._searcher = self._index.searcher()

    def add(self, passage: Stored, body: Normal) -> None:
        """Take a passage in; it is found after the next `commit`."""
        self._changed = True
        self._writer.add_document(_document(passage, body, self._language))

    def remove(self, id: int) -> None:
        """Let a passage go; it is found until the next `commit`."""
        self._changed = True
        self._writer.delete_documents_by_term(_ID, id)

    def commit(self) -> None:
        """Let searches see what was written, if anything was."""
        if self._changed:
            self._writer.commit()
            self._index.reload()
            self._searcher = self._index.searcher()
            self._changed = False

    def search(self, words: Words, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """The ids and scores of passages of a scope that share words with a question, best first."""
        return self._found(self._within(Query.boolean_query(self._asked(words)), scope), limit)

    def relevance(self, needs: Sequence[Need], ids: Sequence[int], *, across: bool) -> dict[int, float]:
        """How much of what a question needs each of these passages holds; 1: as much as one on the matter does.

        `across`: the question is in another language. Then everything that has a name must be there, and of the rest
        only what is written in letters that both languages use can be.
        """
        weighed = [self._need(need.across() if across else need) for need in needs]
        enough = ENOUGH[self._language] * sum(weight for weight, _ in weighed)
        if not enough:
            return {}
        among = Query.const_score_query(Query.term_set_query(self._schema, _ID, list(ids)), 0.0)
        wanted = [
            (Occur.Must if across and need.names else Occur.Should, query)
            for need, (_, query) in zip(needs, weighed, strict=True)
        ]
        found = self._found(Query.boolean_query([(Occur.Must, among), *wanted]), len(ids))
        return {id: score / enough for id, score in found}

    def has_any(self, scope: Scope) -> bool:
        """Whether any passage is in a scope."""
        return bool(self._searcher.search(self._within(Query.all_query(), scope), 1, count=False).hits)

    def _found(self, query: Query, limit: int) -> list[tuple[int, float]]:
        searcher = self._searcher
        found = searcher.search(query, limit, count=False).hits
        ids = searcher.fast_field_values(_ID, [address for _, address in found])
        return [(int(id), score) for (score, _), id in zip(found, ids, strict=True) if id is not None and score > 0]

    def _asked(self, words: Words) -> list[tuple[Occur, Query]]:
        """Terms side by side, nothing around them: only so the best are found without scoring all."""
        own = self._by_field(words.question)
        more = self._by_field(words.same_meaning)
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
        return terms

    def _term(self, field: Field, token: str, weight: float) -> Query:
        query = Query.term_query(self._schema, _NAMES[field], token, index_option="freq")
        return query if weight == 1 else Query.boost_query(query, weight)

    def _need(self, need: Need) -> tuple[float, Query]:
        """What a need weighs, and a query that scores passages by how much of it they hold."""
        tokens = [
            (field, token, COVERED[field] * self._rarity(field, token))
            for field, all_tokens in body_tokens(need.words, self._language).items()
            for token in sorted(set(all_tokens))
        ]
        weight = 0.0 if need.narrowed_to else sum(rarity for _, _, rarity in tokens)
        if need.names:
            ways = [self._whole(name) for name in need.names] + [self._of(code) for code in need.narrowed_to]
            return weight, Query.const_score_query(Query.boolean_query([(Occur.Should, one) for one in ways]), weight)
        held = [
            (Occur.Should, Query.const_score_query(self._holds(field, token), rarity))
            for field, token, rarity in tokens
            if any(self._frequency(place, token) for place in _places(field))
        ]
        return weight, Query.boolean_query(held)

    def _whole(self, name: Normal) -> Query:
        """Passages that hold a name as a whole, as far as pairs of neighbours tell."""
        tokens = body_tokens(name, self._language)
        field = Field.GRAMS if self._language is Language.ZH else Field.STEMS
        single, pairs = tokens[field], [(Field.PAIRS, pair) for pair in tokens.get(Field.PAIRS, ())]
        longer = [(field, token) for token in single if len(token) > 1]
        asked = pairs or longer or [(field, token) for token in single]
        return Query.boolean_query([(Occur.Must, self._holds(field, token)) for field, token in asked])

    def _of(self, entity: str) -> Query:
        return Query.term_query(self._schema, _ENTITY, entity_term(entity), index_option="basic")

    def _holds(self, field: Field, token: str) -> Query:
        """Passages with a token in their body or, where titles are cut alike, in their title."""
        places = [place for place in _places(field) if place is field or self._frequency(place, token)]
        terms = [Query.term_query(self._schema, _NAMES[place], token, index_option="basic") for place in places]
        # A union costs as much as all that it stands for, so there is none where no title has the token.
        return terms[0] if len(terms) == 1 else Query.boolean_query([(Occur.Should, term) for term in terms])

    def _frequency(self, field: Field, token: str) -> int:
        return self._searcher.doc_freq(_NAMES[field], token)

    def _rarity(self, field: Field, token: str) -> float:
        with_it = self._frequency(field, token)
        without = self._searcher.num_docs + IMAGINED - with_it
        return math.pow(math.log1p((max(without, 0) + 0.5) / (with_it + 0.5)), RARITY_POWER)

    def _by_field(self, read: Normal) -> Tokens:
        return {**body_tokens(read, self._language), Field.TITLE: title_tokens(read, self._language)}

    def _within(self, query: Query, scope: Scope) -> Query:
        filters = list(self._filters(scope))
        return Query.boolean_query([(Occur.Must, query), *((Occur.Must, one) for one in filters)]) if filters else query

    def _filters(self, scope: Scope) -> Iterator[Query]:
        if scope.entities:
            yield self._one_of(_ENTITY, [ANY, *map(term, scope.entities)])
        if scope.periods:
            yield self._one_of(_PERIOD, [ANY, *map(term, scope.periods)])
        if scope.newest:
            yield self._newest(scope)

    def _newest(self, scope: Scope) -> Query:
        """Each entity with its own newest period."""
        alternatives: list[tuple[Occur, Query]] = []
        for entity, period in scope.newest.items():
            of_entity = [self._one_of(_ENTITY, [entity_term(entity)])] if scope.entities else []
            both = [self._one_of(_PERIOD, [ANY, term(period)]), *of_entity]
            alternatives.append((Occur.Should, Query.boolean_query([(Occur.Must, one) for one in both])))
        return Query.boolean_query(alternatives)

    def _one_of(self, field: str, values: Iterable[str]) -> Query:
        """A filter, which adds nothing to a score."""
        terms = [(Occur.Should, Query.term_query(self._schema, field, value, "basic")) for value in values]
        return Query.const_score_query(Query.boolean_query(terms), 0.0)


def _places(field: Field) -> tuple[Field, ...]:
    return (field, Field.TITLE) if field in _ALSO_IN_TITLE else (field,)


def _schema() -> Schema:
    builder = SchemaBuilder().add_integer_field(_ID, indexed=True, fast=True)
    for name in (_ENTITY, _PERIOD):
        builder = builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for field in Field:
        # Tokens come ready-made, joined by blanks; their places in the text are never asked for.
        builder = builder.add_text_field(field.value, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _document(passage: Stored, body: Normal, language: Language) -> Document:
    document = Document()
    document.add_integer(_ID, passage.id)
    document.add_text(_ENTITY, entity_term(passage.entity))
    for period in period_terms(passage.period):
        document.add_text(_PERIOD, period)
    title = Normal.read(passage.title or "")
    for field, tokens in {**body_tokens(body, language), Field.TITLE: title_tokens(title, language)}.items():
        document.add_text(field.value, " ".join(tokens))
    return document
