"""Short ways to write scopes, facts, outcomes, intents and asks of the sample company."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from contracts.codes import Locale, PeriodType, ResidueKind, Route
from contracts.v1.ask import AnswerQuestion
from contracts.v1.facts import Conflicting, FactQuery, FactValue, Found, NotFound
from contracts.v1.intent import ParsedIntent, Residue
from contracts.v1.periods import Period
from domain.profile import CompanyProfile, load_profile

SAMPLE_PROFILE = Path(__file__).parents[2] / "deploy" / "sample" / "profile.toml"
TODAY = date(2025, 5, 20)


def sample_profile() -> CompanyProfile:
    return load_profile(SAMPLE_PROFILE)


def period(text: str) -> Period:
    """`2024`, `2024H1`, `2024Q3`, `2024M10`, `2024Q3YTD`."""
    kinds = {"H": PeriodType.HY, "Q": PeriodType.QUARTER, "M": PeriodType.MONTH}
    if text.endswith("YTD"):
        return Period(type=PeriodType.YTD, value=text)
    return Period(type=kinds.get(text[4:5], PeriodType.FY), value=text)


def scope(text: str, *, metric: str = "REVENUE", entity: str = "ACME_HK", channel: str = "TOTAL") -> FactQuery:
    return FactQuery(metric=metric, entity=entity, period=period(text), channel=channel)


def fact(
    value: str,
    *,
    unit: str = "USD_M",
    doc: str = "hk_pack.xlsx",
    locator: str = "sheet=KPI!R7",
    as_of: date | None = None,
) -> FactValue:
    return FactValue(value=Decimal(value), unit=unit, source_doc_id=doc, source_locator=locator, valid_as_of=as_of)


def found(query: FactQuery, value: str, *, unit: str = "USD_M", doc: str = "hk_pack.xlsx") -> Found:
    return Found(query=query, fact=fact(value, unit=unit, doc=doc))


def not_found(query: FactQuery) -> NotFound:
    return NotFound(query=query)


def conflicting(query: FactQuery, *values: str) -> Conflicting:
    facts = tuple(fact(value, doc=f"{name}.xlsx") for name, value in zip("abcdefgh", values, strict=False))
    return Conflicting(query=query, facts=facts)


def intent(
    *,
    route: Route = Route.STRUCTURED,
    metrics: Sequence[str] = ("REVENUE",),
    entities: Sequence[str] = ("ACME_HK",),
    periods: Sequence[str] = ("2024",),
    channels: Sequence[str] = (),
    residues: Sequence[Residue] = (),
    profile_digest: str | None = None,
) -> ParsedIntent:
    return ParsedIntent(
        route=route,
        metrics=tuple(metrics),
        entities=tuple(entities),
        periods=tuple(period(text) for text in periods),
        channels=tuple(channels),
        residues=tuple(residues),
        profile_digest=profile_digest or sample_profile().digest(),
    )


def residue(question: str, text: str, kind: ResidueKind = ResidueKind.QUALIFIER) -> Residue:
    start = question.index(text)
    return Residue(text=text, kind=kind, start=start, end=start + len(text))


def ask(
    question: str,
    *,
    locale: Locale | None = Locale.ZH,
    default_entity: str | None = None,
    decompose: bool = False,
    profile_digest: str | None = None,
) -> AnswerQuestion:
    return AnswerQuestion(
        question=question,
        reference_date=TODAY,
        locale=locale,
        default_entity=default_entity,
        decompose=decompose,
        request_id="test",
        profile_digest=profile_digest or sample_profile().digest(),
    )
