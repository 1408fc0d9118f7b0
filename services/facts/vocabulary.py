"""Which codes the profile knows: closed for questions, and for loading unless the loader says otherwise."""

from dataclasses import dataclass
from typing import Final, Self

from contracts.codes import TOTAL_CHANNEL, FactParam
from domain.glossary import Glossary
from domain.profile import CompanyProfile

COLUMN_OF: Final = {FactParam.METRIC: "metric_code", FactParam.ENTITY: "entity", FactParam.CHANNEL: "channel"}
"""The column of a fact that holds each part of a scope."""


@dataclass(frozen=True)
class Vocabulary:
    """The codes of one profile."""

    stored_codes: dict[str, tuple[str, ...]]
    """The metric codes of the profile, each with the stored codes that mean it, its own first."""
    entities: frozenset[str]
    channels: frozenset[str]
    glossary: Glossary
    units: dict[str, str]
    """The unit that the profile gives the metric which a stored code means."""

    @classmethod
    def of(cls, profile: CompanyProfile) -> Self:
        """The vocabulary of a profile."""
        return cls(
            stored_codes={
                code: tuple(dict.fromkeys((code, *metric.source_codes))) for code, metric in profile.metrics.items()
            },
            entities=frozenset(profile.entities),
            channels=frozenset({TOTAL_CHANNEL, *profile.channels}),
            glossary=Glossary(profile),
            units={
                stored: metric.unit
                for code, metric in profile.metrics.items()
                for stored in (code, *metric.source_codes)
            },
        )

    @property
    def loadable_metrics(self) -> frozenset[str]:
        """The metric codes that a fact may carry: those of the profile and those that mean one of them."""
        return frozenset(stored for codes in self.stored_codes.values() for stored in codes)

    def advice(self, param: FactParam, raw: str) -> str:
        """Why a code cannot be loaded, with the code to write instead where the profile knows the text as a name."""
        meant = self._meant(param, raw)
        where = f"not a {param} of the profile" if param is not FactParam.ENTITY else "not an entity of the profile"
        return f"{where}; write its code {meant}" if meant else where

    def _meant(self, param: FactParam, raw: str) -> str | None:
        match param:
            case FactParam.METRIC:
                return self.glossary.resolve_metric(raw)
            case FactParam.ENTITY:
                return self.glossary.resolve_entity(raw)
            case FactParam.CHANNEL:
                return self.glossary.resolve_channel(raw)
            case FactParam.PERIOD:
                return None
