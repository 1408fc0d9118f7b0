"""The company profile: the closed vocabulary in force. Strict; a missing or wrong profile stops the start.

`digest()` is the identity of that vocabulary; it travels in messages so that two processes never answer from different
vocabularies.
"""

import hashlib
import json
import tomllib
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from contracts.codes import TOTAL_CHANNEL, Locale

Synonyms = tuple[Annotated[str, Field(min_length=1, max_length=256)], ...]

RATE_UNITS: Final = frozenset({"PCT", "PERCENT", "%"})
"""Units whose differences are percentage points."""


class ProfileError(Exception):
    """The profile cannot be used; the message names file, line, key and reason."""


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
    if isinstance(value, dict) and "default" not in value:
        first = next((value[k] for k in ("en", "zh", "it") if k in value), None)
        return {**value, "default": first}
    return value


LabelField = Annotated[Label, BeforeValidator(_as_label)]


class Company(_Strict):
    """The `[company]` table."""

    name: str = Field(min_length=1)
    default_entity: str
    time_zone: str = "UTC"
    fiscal_year_start_month: int = Field(default=1, ge=1, le=12)
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
    fiscal_year_start_month: int | None = Field(default=None, ge=1, le=12)
    fiscal_year_label: FiscalYearLabel | None = None


class Metric(_Strict):
    """A `[metrics.CODE]` table."""

    unit: str = Field(min_length=1)
    label: LabelField | None = None
    source_codes: tuple[str, ...] = ()
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
    strict: bool = False


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
    channels: dict[str, Channel] = {}
    competitors: dict[str, Synonyms] = {}
    sensitivity: SensitivityRules = SensitivityRules()
    faq: FaqRules = FaqRules()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.company.default_entity not in self.entities:
            raise ValueError(f"company.default_entity {self.company.default_entity!r} is not one of [entities]")
        if TOTAL_CHANNEL in self.channels:
            raise ValueError(f"[channels.{TOTAL_CHANNEL}] is built in and cannot be declared")
        return self

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


def load_profile(path: Path) -> CompanyProfile:
    """Read and check a TOML profile.

    Raises `ProfileError` naming the file, and the line and key where they are known.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: not valid TOML: {error}") from error
    try:
        return CompanyProfile.model_validate(data)
    except ValidationError as error:
        raise ProfileError(f"{path}: {error}") from error
