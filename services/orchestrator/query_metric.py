"""The one tool a model has: its schema comes from the profile, and its arguments are read as strictly as a question.

What cannot be read as one scope of the profile is `BadArguments`; nothing is guessed from it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, cast

from contracts.codes import TOTAL_CHANNEL, FactParam
from contracts.v1.facts import FactQuery
from domain.glossary import Glossary
from domain.periods import parse_period
from domain.profile import CompanyProfile
from services.orchestrator.conversation import Tool

NAME: Final = "query_metric"

MAX_LISTED_CODES: Final = 100
"""A longer list costs more tokens than it saves turns: then the model writes names, which are resolved."""
MAX_ARGUMENT_CHARS: Final = 2_000
"""Four short strings fit many times; what is longer is not read."""


@dataclass(frozen=True, slots=True)
class BadArguments:
    """Arguments that name no scope; `advice` says what to send instead, and repeats nothing."""

    advice: str


class QueryMetric:
    """The tool `query_metric` under one profile; compiled once."""

    def __init__(self, profile: CompanyProfile) -> None:
        self._profile = profile
        self._glossary = Glossary(profile)
        self.tool = _tool(profile)

    def read(self, arguments: str, *, today: date) -> FactQuery | BadArguments:
        """The scope that the arguments name, by codes or by any alias of the profile."""
        match _object(arguments):
            case BadArguments() as bad:
                return bad
            case fields:
                return self._scope(fields, today)

    def _scope(self, fields: Mapping[str, object], today: date) -> FactQuery | BadArguments:
        metric = self._glossary.resolve_metric(_text(fields, FactParam.METRIC))
        if metric is None:
            return _unknown(FactParam.METRIC)
        entity = self._glossary.resolve_entity(_text(fields, FactParam.ENTITY))
        if entity is None:
            return _unknown(FactParam.ENTITY)
        period = parse_period(_text(fields, FactParam.PERIOD), today, self._profile.calendar(entity))
        if period is None:
            return _unknown(FactParam.PERIOD)
        channel = self._glossary.resolve_channel(_text(fields, FactParam.CHANNEL) or TOTAL_CHANNEL)
        if channel is None:
            return _unknown(FactParam.CHANNEL)
        return FactQuery(metric=metric, entity=entity, period=period, channel=channel)


def _object(arguments: str) -> Mapping[str, object] | BadArguments:
    if len(arguments) > MAX_ARGUMENT_CHARS:
        return BadArguments("The arguments are too long: send a JSON object with metric, entity and period.")
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return BadArguments("The arguments are not JSON: send an object with metric, entity and period.")
    if not isinstance(value, dict):
        return BadArguments("The arguments are not an object: send one with metric, entity and period.")
    return cast("Mapping[str, object]", value)


def _text(fields: Mapping[str, object], param: FactParam) -> str:
    value = fields.get(param)
    return value if isinstance(value, str) else ""


def _unknown(param: FactParam) -> BadArguments:
    return BadArguments(f"The parameter {param} is missing or not known.")


def _tool(profile: CompanyProfile) -> Tool:
    properties = {
        FactParam.METRIC: _codes("The metric.", profile.metrics),
        FactParam.ENTITY: _codes("The entity.", profile.entities),
        FactParam.PERIOD: {
            "type": "string",
            "description": "FY2024, 2024H1, 2024Q3, 2024M10, or 2024Q3YTD for the year to the end of a quarter.",
        },
        FactParam.CHANNEL: _codes("The channel; TOTAL when none is asked for.", (TOTAL_CHANNEL, *profile.channels)),
    }
    return Tool(
        name=NAME,
        description="Look up one stored figure with its source. Ask for exactly the scope of the question.",
        parameters={
            "type": "object",
            "properties": {str(param): schema for param, schema in properties.items()},
            "required": [str(FactParam.METRIC), str(FactParam.ENTITY), str(FactParam.PERIOD)],
            "additionalProperties": False,
        },
    )


def _codes(description: str, codes: Iterable[str]) -> Mapping[str, object]:
    listed = list(codes)
    schema: dict[str, object] = {"type": "string", "description": description}
    return schema | {"enum": listed} if len(listed) <= MAX_LISTED_CODES else schema
