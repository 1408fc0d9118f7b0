"""The single-scope look-up with a model beside it: whatever the model asks for, the asked scope is what is looked up.

So a model can neither invent a number nor suppress one. Its calls for anything else are refused and counted, its text
is dropped where it arrives: `LoopReport` has no place for it.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, assert_never

from contracts.codes import FactStatus, GuardReason
from contracts.v1.facts import Conflicting, FactOutcome, FactQuery, Found, NotFound, UnrecognizedParam
from domain import money
from services.orchestrator.conversation import Message, Model, ProviderError, ToolCall, ToolReply, Turn
from services.orchestrator.query_metric import NAME, BadArguments, QueryMetric

MAX_TURNS: Final = 5
MAX_CALLS_ANSWERED: Final = 16
"""Calls of one turn that get a reply; the others are read and counted, and the model does not see them again."""

LookUp = Callable[[], Awaitable[Sequence[FactOutcome]]]
"""Looks up the asked scope, and nothing else."""


@dataclass(frozen=True, slots=True)
class LoopReport:
    """What was looked up, and what the model did that had to be corrected."""

    outcomes: Sequence[FactOutcome]
    reasons: Mapping[GuardReason, int] = field(default_factory=dict[GuardReason, int])
    turns: int = 0
    tool_calls: int = 0


@dataclass
class _Loop:
    asked: FactQuery
    look_up: LookUp
    tool: QueryMetric
    today: date
    outcomes: Sequence[FactOutcome] | None = None
    reasons: Counter[GuardReason] = field(default_factory=Counter[GuardReason])
    turns: int = 0
    tool_calls: int = 0

    async def run(self, model: Model, messages: Sequence[Message]) -> None:
        """Let the model call until a turn has no calls, or its turns are used up."""
        said = list(messages)
        while self.turns < MAX_TURNS:
            turn = await model.complete(said, (self.tool.tool,))
            self.turns += 1
            if not turn.tool_calls:
                break
            self.tool_calls += len(turn.tool_calls)
            replies = [await self._reply(call) for call in turn.tool_calls]
            said.append(Turn(tool_calls=turn.tool_calls[:MAX_CALLS_ANSWERED]))
            said.extend(replies[:MAX_CALLS_ANSWERED])
        else:
            self.reasons[GuardReason.TURN_LIMIT] += 1
        if not self.tool_calls:
            self.reasons[GuardReason.NO_TOOL_CALL] += 1

    async def _reply(self, call: ToolCall) -> ToolReply:
        if call.name != NAME:
            self.reasons[GuardReason.UNKNOWN_TOOL] += 1
            return _error(call, f"There is no such tool; the only one is {NAME}.")
        match self.tool.read(call.arguments, today=self.today):
            case BadArguments(advice):
                self.reasons[GuardReason.BAD_ARGUMENTS] += 1
                return _error(call, advice)
            case scope if scope != self.asked:
                self.reasons[GuardReason.SCOPE_DRIFT] += 1
                return _error(call, f"That was not asked. Asked is: {_arguments(self.asked)}")
            case _:
                return ToolReply(call.id, _outcome_text(await self.looked_up()))

    async def looked_up(self) -> Sequence[FactOutcome]:
        """The outcomes for the asked scope, looked up once however often it is asked for."""
        if self.outcomes is None:
            self.outcomes = await self.look_up()
        return self.outcomes


async def run_tool_loop(
    asked: FactQuery,
    look_up: LookUp,
    *,
    model: Model,
    tool: QueryMetric,
    messages: Sequence[Message],
    today: date,
    facts_on_failure: bool,
) -> LoopReport:
    """Let the model call, then look up the asked scope if that has not happened.

    A failing model does not undo what was looked up. With nothing in hand it raises `ProviderError`, or, with
    `facts_on_failure`, the scope is looked up all the same. Raises what `look_up` raises.
    """
    loop = _Loop(asked, look_up, tool, today)
    try:
        await loop.run(model, messages)
    except ProviderError:
        if loop.outcomes is None and not facts_on_failure:
            raise
    return LoopReport(await loop.looked_up(), loop.reasons, loop.turns, loop.tool_calls)


def _error(call: ToolCall, advice: str) -> ToolReply:
    return ToolReply(call.id, json.dumps({"status": "error", "message": advice}, ensure_ascii=False))


def _arguments(scope: FactQuery) -> str:
    fields = {"metric": scope.metric, "entity": scope.entity, "period": scope.period.label, "channel": scope.channel}
    return json.dumps(fields, ensure_ascii=False)


def _outcome_text(outcomes: Sequence[FactOutcome]) -> str:
    return json.dumps([_told(outcome) for outcome in outcomes], ensure_ascii=False)


def _told(outcome: FactOutcome) -> Mapping[str, object]:
    match outcome:
        case Found(fact=fact):
            return {"status": FactStatus.FOUND, "value": money.plain(fact.value), "unit": fact.unit}
        case Conflicting() | NotFound() | UnrecognizedParam():
            return {"status": outcome.status}
        case _:
            assert_never(outcome)
