"""What a company profile holds: the closed vocabulary in force. Strict; no name may mean two things.

`digest()` is the identity of that vocabulary; it travels in messages so that two processes never answer from different
vocabularies.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Final, Literal, Self, cast
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from contracts.codes import TOTAL_CHANNEL, Locale
from contracts.v1.base import refuse_no_unit
from domain.profile.checks import AMBIGUOUS_NAMES, COMPETITORS, UNPRINTABLE_CODE, Name, Problem, name_problems
from domain.profile.derived import DERIVED, Declared, derived_problems
from domain.profile.lines import KeyPath, dotted

Synonyms = tuple[Annotated[str, Field(min_length=1, max_length=256)], ...]

RATE_UNITS: Final = frozenset({"PCT", "PERCENT", "%"})
"""Units whose differences are percentage points."""


AMBIGUOUS: Final = "ambiguous_profile"
"""The error type of names that mean two things; its context holds the `Problem`s."""


class FiscalYearLabel(StrEnum):
    """Which calendar year names a fiscal year."""

    END = "end"
    START = "start"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=False)


class Label(_Strict):
    """A display name, with translations where there are any."""

    default: str
    zh: str | None = None
    en: str | None = None
    it: str | None = None

    def in_locale(self, locale: Locale) -> str:
        """The name in that language, else the default one."""
        return {Locale.ZH: self.zh, Locale.EN: self.en, Locale.IT: self.it}[locale] or self.default


def _as_label(value: object) -> object:
    if isinstance(value, str):
        return {"default": value}
    names = _table(value)
    if names is None or "default" in names:
        return value
    return {**names, "default": next((names[k] for k in ("en", "zh", "it") if k in names), None)}


def _table(value: object) -> dict[str, object] | None:
    return cast(dict[str, object], value) if isinstance(value, dict) else None


LabelField = Annotated[Label, BeforeValidator(_as_label)]


class Company(_Strict):
    """The `[company]` table."""

    name: str = Field(min_length=1)
    default_entity: str
    time_zone: str = "UTC"
    fiscal_year_start_month: int = Field(default=1, ge=1, le=12, strict=True)
    fiscal_year_label: FiscalYearLabel = FiscalYearLabel.END
    locale: Literal["auto", "zh", "en", "it"] = "auto"

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"unknown time zone {value!r}") from None
        return value


class Entity(_Strict):
    """An `[entities.CODE]` table."""

    label: LabelField | None = None
    geography: str | None = None
    synonyms: Synonyms = ()
    fiscal_year_start_month: int | None = Field(default=None, ge=1, le=12, strict=True)
    fiscal_year_label: FiscalYearLabel | None = None


def _printable_unit(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a unit holds no line break, control or format character")
    return text


class Metric(_Strict):
    """A `[metrics.CODE]` table."""

    unit: Annotated[str, Field(min_length=1), AfterValidator(_printable_unit), AfterValidator(refuse_no_unit)]
    label: LabelField | None = None
    source_codes: tuple[str, ...] = ()
    synonyms: Synonyms = ()
    percent_of: dict[str, str] = {}
    """By entity: of which metric the stored figures are the percentage."""
    part_of: dict[str, str] = {}
    """By entity: to which metric the stored figures add up, together with others."""


class Derived(_Strict):
    """A `[derived.CODE]` table: one metric over another one, computed and never stored."""

    numerator: str
    denominator: str
    unit: Annotated[str, Field(min_length=1), AfterValidator(_printable_unit), AfterValidator(refuse_no_unit)] = "PCT"
    """A rate (`PCT`) is shown in per cent, any other unit as the plain quotient."""
    label: LabelField | None = None
    synonyms: Synonyms = ()


class Channel(_Strict):
    """A `[channels.CODE]` table; `TOTAL` is built in."""

    label: LabelField | None = None
    synonyms: Synonyms = ()


class SensitivityRules(_Strict):
    """The `[sensitivity]` table."""

    default: str = "INTERNAL"
    restricted_filenames: tuple[str, ...] = ()
    restricted_keywords: tuple[str, ...] = ()
    strict: bool = Field(default=False, strict=True)


class FaqRules(_Strict):
    """The `[faq]` table."""

    realtime_cues: tuple[str, ...] = ()


class FiscalCalendar(BaseModel):
    """When an entity's fiscal year starts and which calendar year names it."""

    model_config = ConfigDict(frozen=True)

    start_month: int = 1
    label: FiscalYearLabel = FiscalYearLabel.END


class CompanyProfile(_Strict):
    """The whole profile. Codes are always accepted as aliases of themselves."""

    company: Company
    entities: dict[str, Entity] = Field(min_length=1)
    metrics: dict[str, Metric] = Field(min_length=1)
    derived: dict[str, Derived] = {}
    channels: dict[str, Channel] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}
    """Names that several metrics could be called by, each with those metrics: never picked, always asked back."""
    competitors: dict[str, Synonyms] = {}
    sensitivity: SensitivityRules = SensitivityRules()
    faq: FaqRules = FaqRules()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*self._code_problems(), *self._reference_problems(), *name_problems(self._names())]
        if problems:
            reasons = "; ".join(f"{dotted(problem.path)}: {problem.reason}" for problem in problems)
            raise PydanticCustomError(AMBIGUOUS, "{reasons}", {"reasons": reasons, "problems": problems})
        return self

    def _code_problems(self) -> Iterator[Problem]:
        for table, codes in (("metrics", self.metrics), ("entities", self.entities), ("channels", self.channels)):
            yield from (Problem((table, code), UNPRINTABLE_CODE) for code in codes if not code.isprintable())

    def _reference_problems(self) -> Iterator[Problem]:
        default = self.company.default_entity
        if default not in self.entities:
            yield Problem(("company", "default_entity"), f"{default!r} is not one of [entities]")
        if TOTAL_CHANNEL in self.channels:
            yield Problem(("channels", TOTAL_CHANNEL), f"{TOTAL_CHANNEL} is built in and cannot be declared")
        for code, metric in self.metrics.items():
            for key, relation in (("percent_of", metric.percent_of), ("part_of", metric.part_of)):
                yield from self._relation_problems(("metrics", code, key), relation)
        for text, codes in self.ambiguous.items():
            unknown = [code for code in codes if code not in self.named_metrics]
            yield from (Problem((AMBIGUOUS_NAMES, text), f"{code!r} is not one of [metrics]") for code in unknown)
            if len(set(codes)) < 2:
                yield Problem((AMBIGUOUS_NAMES, text), f"{text!r} names fewer than two metrics")
        yield from self._source_code_problems()
        stored = {code: code for code in self.metrics}
        stored |= {known: code for code, metric in self.metrics.items() for known in metric.source_codes}
        declared = Declared({code: metric.unit for code, metric in self.metrics.items()}, stored)
        for code, ratio in self.derived.items():
            yield from derived_problems(code, ratio.numerator, ratio.denominator, declared)

    def _source_code_problems(self) -> Iterator[Problem]:
        """A stored code belongs to one metric: else its figures would be shown under another one's name."""
        owner = {code: code for code in self.metrics}
        for code, metric in self.metrics.items():
            for stored in metric.source_codes:
                if owner.setdefault(stored, code) != code:
                    reason = f"{stored!r} is a stored code of {owner[stored]} already"
                    yield Problem(("metrics", code, "source_codes"), reason)

    def _relation_problems(self, path: KeyPath, relation: Mapping[str, str]) -> Iterator[Problem]:
        for entity, whole in relation.items():
            if entity not in self.entities:
                yield Problem((*path, entity), f"{entity!r} is not one of [entities]")
            if whole not in self.metrics or whole == path[1]:
                yield Problem((*path, entity), f"{whole!r} is not another one of [metrics]")

    def _names(self) -> Iterator[Name]:
        """Every text that names something, ours before the competitors: codes, then synonyms and labels."""
        tables: dict[str, Mapping[str, Entity | Metric | Derived | Channel]] = {
            "metrics": self.metrics,
            DERIVED: self.derived,
            "entities": self.entities,
            "channels": self.channels,
        }
        for table, entries in tables.items():
            yield from (Name((table, code), code, (table, code)) for code in entries)
        for table, entries in tables.items():
            for code, entry in entries.items():
                yield from _own_names((table, code), entry)
        for text in self.ambiguous:
            yield Name((AMBIGUOUS_NAMES, text), text, (AMBIGUOUS_NAMES, text))
        for name, synonyms in self.competitors.items():
            owner = (COMPETITORS, name)
            yield Name(owner, name, owner)
            yield from (Name(owner, text, (*owner, i)) for i, text in enumerate(synonyms))

    @cached_property
    def named_metrics(self) -> Mapping[str, Metric]:
        """Everything that a question can call a metric: the stored ones, and those derived from them."""
        ratios = {
            code: Metric(unit=ratio.unit, label=ratio.label, synonyms=ratio.synonyms)
            for code, ratio in self.derived.items()
        }
        return self.metrics | ratios

    def calendar(self, entity: str | None) -> FiscalCalendar:
        """The fiscal calendar of an entity, or the company's."""
        own = self.entities.get(entity or self.company.default_entity)
        return FiscalCalendar(
            start_month=(own and own.fiscal_year_start_month) or self.company.fiscal_year_start_month,
            label=(own and own.fiscal_year_label) or self.company.fiscal_year_label,
        )

    def entity_label(self, code: str, locale: Locale) -> str:
        """The display name of an entity; its code where the profile gives none."""
        label = self.entities[code].label if code in self.entities else None
        return label.in_locale(locale) if label else code

    def metric_label(self, code: str, locale: Locale) -> str:
        """The display name of a metric; its code where the profile gives none."""
        label = self.metrics[code].label if code in self.metrics else None
        return label.in_locale(locale) if label else code

    def channel_label(self, code: str, locale: Locale) -> str:
        """The display name of a channel; its code where the profile gives none."""
        channel = self.channels.get(code)
        return channel.label.in_locale(locale) if channel and channel.label else code

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone that decides what `today` is."""
        return ZoneInfo(self.company.time_zone)

    def digest(self) -> str:
        """Identity of the vocabulary: 16 hexadecimal digits of the SHA-256 of its canonical JSON."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _own_names(owner: KeyPath, entry: Entity | Metric | Derived | Channel) -> Iterator[Name]:
    yield from (Name(owner, text, (*owner, "synonyms", i)) for i, text in enumerate(entry.synonyms))
    label = entry.label
    names = {label.default, label.zh, label.en, label.it} if label else set[str | None]()
    yield from (Name(owner, text, (*owner, "label")) for text in sorted(filter(None, names)))
