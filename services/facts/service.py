"""What the worker does with each message, apart from how it travels and how it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.codes import PeriodType
from contracts.v1.errors import FieldProblem
from contracts.v1.facts import (
    Catalogue,
    FactList,
    FactOutcome,
    FactOutcomes,
    FactQuery,
    FactsLoaded,
    FactsWithdrawn,
    FindNewest,
    Found,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    NewestPeriods,
    QueryFacts,
    StoredFact,
    WithdrawFacts,
)
from contracts.v1.periods import Period
from domain.periods import period_sort_key
from domain.profile import CompanyProfile
from runtime.errors import ProfileMismatchError, refused
from services.facts import catalogue
from services.facts.lookup import Line, choose, unrecognized
from services.facts.ports import Contradictory, ReadPort, Scope, Series, WritePort
from services.facts.rows import Problem, RowChecker, long_key, row_of
from services.facts.vocabulary import Vocabulary

NEWEST: Final = 3
"""How many periods of one kind are named: the newest one, and two to go back to."""

MAX_PAGE_BYTES: Final = 600_000
"""A page ends early rather than outgrow what the bus carries; the next one goes on from there."""


@dataclass(frozen=True)
class FactService:
    """Look-ups and changes of facts under one company profile."""

    profile: CompanyProfile
    vocabulary: Vocabulary
    reader: ReadPort
    writer: WritePort

    async def query(self, asked: QueryFacts) -> FactOutcomes:
        """One outcome for each asked scope, in its order; raises `ProfileMismatchError`."""
        if asked.profile_digest != self.profile.digest():
            raise ProfileMismatchError
        return FactOutcomes(outcomes=tuple(await self._look_up(asked.queries)))

    async def newest(self, asked: FindNewest) -> NewestPeriods:
        """The newest periods of each asked series; raises `ProfileMismatchError`. Unknown codes have none."""
        if asked.profile_digest != self.profile.digest():
            raise ProfileMismatchError
        codes = self.vocabulary.stored_codes
        stored = [
            (i, Series(code, series.entity, series.channel))
            for i, series in enumerate(asked.series)
            for code in codes.get(series.metric, ())
        ]
        kinds = asked.kinds or tuple(PeriodType)
        found: Mapping[int, Sequence[Period]] = (
            await self.reader.newest_periods(stored, kinds, NEWEST) if stored else {}
        )
        return NewestPeriods(series=tuple(_newest(found.get(i, ()), kinds) for i in range(len(asked.series))))

    async def load(self, wanted: LoadFacts) -> FactsLoaded:
        """Load rows, all or nothing; raises `InvalidRequestError` that names every bad row."""
        checker = RowChecker(self.vocabulary)
        rows = [row_of(fact) for fact in wanted.facts]
        problems = [_named(i, p) for i, row in enumerate(rows) for p in checker.unknown_codes(row) or long_key(row)]
        if problems:
            raise refused(problems)
        match await self.writer.load(rows):
            case FactsLoaded() as loaded:
                return loaded
            case contradictory:
                raise refused([_named(c.row, _contradiction(c)) for c in contradictory])

    async def withdraw(self, wanted: WithdrawFacts) -> FactsWithdrawn:
        """Hide all facts of a document; loading it again revives them."""
        return FactsWithdrawn(withdrawn=await self.writer.withdraw(wanted.source_doc_id))

    async def listed(self, wanted: ListFacts) -> FactList:
        """A page of facts with lineage and history, in the order in which they were first loaded."""
        metrics = None if wanted.metric is None else self.vocabulary.stored_codes.get(wanted.metric, (wanted.metric,))
        # One more than the page holds tells whether there is a next one.
        period = wanted.period.removeprefix("FY") if wanted.period else None  # as shown, or as stored
        found = await self.reader.page(metrics, wanted.entity, period, after=wanted.after or 0, limit=wanted.limit + 1)
        page = _that_fits(found[: wanted.limit])
        return FactList(facts=tuple(page), next_after=page[-1].id if len(page) < len(found) else None)

    async def catalogue(self, wanted: GetCatalogue) -> Catalogue:
        """Codes, counts, periods, and questions that work on what is loaded now."""
        locale = catalogue.choose_locale(wanted.locale, self.profile)
        counts = await self.reader.counts()
        known = catalogue.build(self.profile, self.vocabulary, counts, locale)
        metrics = [stored for item in known.metrics if item.facts for stored in self.vocabulary.stored_codes[item.code]]
        entities = [item.code for item in known.entities if item.facts]
        scopes = await self.reader.newest(metrics, entities, catalogue.EXAMPLE_KINDS)
        queries = catalogue.candidates(scopes, self.vocabulary, self.profile.company.default_entity)
        found = [outcome.query for outcome in await self._look_up(queries) if isinstance(outcome, Found)]
        glossary = self.vocabulary.glossary
        examples = ((catalogue.example(query, self.profile, glossary, locale), query) for query in found)
        working = [text for text, query in examples if catalogue.reads_as(text, query, glossary)]
        return known.model_copy(update={"examples": tuple(working[: catalogue.EXAMPLES])})

    async def _look_up(self, queries: Sequence[FactQuery]) -> list[FactOutcome]:
        codes = self.vocabulary.stored_codes
        unknown = [unrecognized(query, self.vocabulary) for query in queries]
        asked = [
            (i, Scope(code, query.entity, query.period.type, query.period.value, query.channel))
            for i, query in enumerate(queries)
            if unknown[i] is None
            for code in codes[query.metric]
        ]
        lines: Mapping[int, Sequence[Line]] = await self.reader.lines(asked) if asked else {}
        return [unknown[i] or choose(query, codes[query.metric], lines.get(i, ())) for i, query in enumerate(queries)]


def _newest(periods: Sequence[Period], kinds: Sequence[PeriodType]) -> tuple[Period, ...]:
    """The newest of each kind, kind by kind; a metric of several stored codes may name one more than once."""
    newest: list[Period] = []
    for kind in kinds:
        distinct = {period.value: period for period in periods if period.type is kind}
        newest += sorted(distinct.values(), key=period_sort_key, reverse=True)[:NEWEST]
    return tuple(newest)


def _that_fits(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """The first facts that one message can carry; at least one."""
    page: list[StoredFact] = []
    size = 0
    for fact in facts:
        size += len(fact.model_dump_json().encode())
        if page and size > MAX_PAGE_BYTES:
            break
        page.append(fact)
    return page


def _named(row: int, problem: Problem) -> FieldProblem:
    return FieldProblem(field=f"facts.{row}.{problem.column}".removesuffix("."), reason=problem.reason)


def _contradiction(found: Contradictory) -> Problem:
    return Problem("", f"states something else than facts.{found.first} for the same scope and document")
