"""The table of everything that travels on the bus: subject, message types, who serves it.

The published schemas and `contracts/asyncapi.json` are made from it; tests hold it against `contracts.subjects` and
against what the workers really serve.
"""

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from contracts import subjects
from contracts.v1 import (
    AnswerQuestion,
    AnswerResult,
    AskRequest,
    Catalogue,
    DurableAnswer,
    ErrorReply,
    FactList,
    FactOutcomes,
    FactsChanged,
    FactsLoaded,
    FactsWithdrawn,
    FindNewest,
    GetCatalogue,
    ListFacts,
    LoadFacts,
    LoadPassages,
    NewestPeriods,
    ParsedIntent,
    ParseIntent,
    Passages,
    PassagesLoaded,
    PassagesWithdrawn,
    QueryFacts,
    SearchPassages,
    WithdrawFacts,
    WithdrawPassages,
)


@dataclass(frozen=True, slots=True)
class Call:
    """A request/reply subject: `service` answers `request` with `reply` or an `ErrorReply`, within its queue group."""

    name: str
    subject: str
    service: str
    request: type[BaseModel]
    reply: type[BaseModel]

    @property
    def queue(self) -> str:
        """The queue group, named like the service: replicas of a worker share the work."""
        return self.service


@dataclass(frozen=True, slots=True)
class Event:
    """An event in a JetStream stream, written by `service`. Codes only."""

    name: str
    subject: str
    service: str
    message: type[BaseModel]


@dataclass(frozen=True, slots=True)
class Queued:
    """A JetStream queue of work: apps publish `message`, `service` takes each one and publishes `answer` for it."""

    name: str
    subject: str
    stream: str
    service: str
    message: type[BaseModel]
    answer_name: str
    answer_subject: str
    answer_stream: str
    answer: type[BaseModel]


CALLS: Final = (
    Call("ask", subjects.ASK_ANY_APP, subjects.QUEUE_GATEWAY, AskRequest, AnswerResult),
    Call("answer", subjects.ORCHESTRATOR_ANSWER, subjects.QUEUE_ORCHESTRATOR, AnswerQuestion, AnswerResult),
    Call("parseIntent", subjects.INTENT_PARSE, subjects.QUEUE_INTENT, ParseIntent, ParsedIntent),
    Call("queryFacts", subjects.FACTS_QUERY, subjects.QUEUE_FACTS, QueryFacts, FactOutcomes),
    Call("findNewest", subjects.FACTS_NEWEST, subjects.QUEUE_FACTS, FindNewest, NewestPeriods),
    Call("loadFacts", subjects.FACTS_LOAD, subjects.QUEUE_FACTS, LoadFacts, FactsLoaded),
    Call("withdrawFacts", subjects.FACTS_WITHDRAW, subjects.QUEUE_FACTS, WithdrawFacts, FactsWithdrawn),
    Call("listFacts", subjects.FACTS_LIST, subjects.QUEUE_FACTS, ListFacts, FactList),
    Call("getCatalogue", subjects.FACTS_CATALOGUE, subjects.QUEUE_FACTS, GetCatalogue, Catalogue),
    Call("searchPassages", subjects.NARRATIVE_SEARCH, subjects.QUEUE_NARRATIVE, SearchPassages, Passages),
    Call("loadPassages", subjects.NARRATIVE_LOAD, subjects.QUEUE_NARRATIVE, LoadPassages, PassagesLoaded),
    Call(
        "withdrawPassages", subjects.NARRATIVE_WITHDRAW, subjects.QUEUE_NARRATIVE, WithdrawPassages, PassagesWithdrawn
    ),
)

EVENTS: Final = (Event("factsChanged", subjects.EVENT_FACTS_CHANGED, subjects.QUEUE_FACTS, FactsChanged),)

QUEUES: Final = (
    Queued(
        "durableAsk",
        subjects.ASKS_ANY,
        subjects.ASK_STREAM,
        subjects.QUEUE_GATEWAY,
        AskRequest,
        "durableAnswer",
        subjects.ANSWERS_ANY,
        subjects.ANSWER_STREAM,
        DurableAnswer,
    ),
)


def requests() -> tuple[type[BaseModel], ...]:
    """Every message that one of our processes reads, once."""
    return tuple(dict.fromkeys([*(call.request for call in CALLS), *(queue.message for queue in QUEUES)]))


def replies() -> tuple[type[BaseModel], ...]:
    """Every message that one of our processes writes, once; the error reply first."""
    calls, events = (call.reply for call in CALLS), (event.message for event in EVENTS)
    return tuple(dict.fromkeys([ErrorReply, *calls, *events, *(queue.answer for queue in QUEUES)]))
