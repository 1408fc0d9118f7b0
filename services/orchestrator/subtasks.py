"""Expansion of a question's slots into the scopes to look up: entity, then metric, then channel, then period."""

from itertools import product

from contracts.codes import TOTAL_CHANNEL
from contracts.v1.ask import AssumedSlots
from contracts.v1.base import MAX_SUBTASKS
from contracts.v1.facts import FactQuery
from contracts.v1.intent import ParsedIntent
from runtime.errors import TooManySubtasksError


def expand(intent: ParsedIntent, assumed: AssumedSlots) -> tuple[FactQuery, ...]:
    """Every asked scope, each once. Raises `TooManySubtasksError` above the limit, before anything is looked up."""
    entities = intent.entities or ((assumed.entity,) if assumed.entity else ())
    periods = intent.periods or ((assumed.period,) if assumed.period else ())
    channels = intent.channels or (TOTAL_CHANNEL,)
    if len(entities) * len(intent.metrics) * len(channels) * len(periods) > MAX_SUBTASKS:
        raise TooManySubtasksError(f"the question asks for more than {MAX_SUBTASKS} numbers; ask for fewer at a time")
    return tuple(
        FactQuery(metric=metric, entity=entity, channel=channel, period=period)
        for entity, metric, channel, period in product(entities, intent.metrics, channels, periods)
    )
