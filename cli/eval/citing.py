"""Whether the source of a shown figure is the source of a stored fact with that figure. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cli.eval.figures import Figure
from contracts.codes import PeriodType, ReviewStatus
from contracts.v1.ask import AnswerResult
from contracts.v1.facts import StoredFact
from domain.profile import CompanyProfile


@dataclass(frozen=True, slots=True)
class StoredFigure:
    """A fact that may be shown, as the fact store lists it."""

    metric: str
    entity: str
    period_type: PeriodType
    period: str
    channel: str
    value: Decimal
    unit: str
    doc: str
    locator: str

    @classmethod
    def of(cls, fact: StoredFact) -> "StoredFigure":
        """A listed fact without its history."""
        scope = (fact.metric_code, fact.entity, fact.period_type, fact.period, fact.channel)
        return cls(*scope, fact.value, fact.unit, fact.source_doc_id, fact.source_locator)


@dataclass(frozen=True, slots=True)
class StoredCodes:
    """Which stored codes mean a metric; without a profile every code of the cited place is accepted."""

    profile: CompanyProfile | None

    def metric_of(self, code: str) -> str:
        """The metric that a stored code belongs to."""
        if self.profile is None or code in self.profile.metrics:
            return code
        owners = (name for name, metric in self.profile.metrics.items() if code in metric.source_codes)
        return next(owners, code)

    def may_mean(self, stored: str, metric: str) -> bool:
        """Whether a fact stored under a code may be shown as this metric."""
        return self.profile is None or self.metric_of(stored) == metric


def visible(facts: Iterable[StoredFact]) -> list[StoredFigure]:
    """The facts that may answer: approved, and not withdrawn."""
    return [
        StoredFigure.of(fact) for fact in facts if fact.review_status is ReviewStatus.APPROVED and not fact.withdrawn
    ]


def badly_cited(
    result: AnswerResult, figures: Sequence[Figure], stored: Sequence[StoredFigure], codes: StoredCodes
) -> list[Figure]:
    """The figures whose source is missing, is not told to the reader, or holds no such fact."""
    return [figure for figure in figures if not _is_cited(result, figure, stored, codes)]


def _is_cited(result: AnswerResult, figure: Figure, stored: Sequence[StoredFigure], codes: StoredCodes) -> bool:
    source = figure.source
    if source is None or source not in result.sources:
        return False
    told = _one_line(result.answer)
    is_told = _one_line(source.doc) in told and _one_line(source.locator or "") in told
    return is_told and any(_holds(fact, figure) and codes.may_mean(fact.metric, figure.scope.metric) for fact in stored)


def _holds(fact: StoredFigure, figure: Figure) -> bool:
    scope, source = figure.scope, figure.source
    return source is not None and fact == StoredFigure(
        metric=fact.metric,
        entity=scope.entity,
        period_type=scope.period.type,
        period=scope.period.value,
        channel=scope.channel,
        value=figure.value,
        unit=figure.unit,
        doc=source.doc,
        locator=source.locator or "",
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
