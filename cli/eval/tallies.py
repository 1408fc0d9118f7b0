"""Counts judgements into gates, per kind and language. Pure; a rate stays a pair of counts, so nothing is rounded."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from cli.eval.judging import SCOPE, WRONG, Judgement, Outcome, Reason
from cli.eval.questions import AskedQuestion, Kind

ALL: Final = "all"


class Gate(StrEnum):
    """A rate that must not become worse."""

    NUMERIC = "numeric"  # answered exactly, no other number
    CITATION = "citation"  # figures whose source holds them
    REFUSAL = "refusal"  # unanswerable ones refused or asked back
    CLARIFICATION = "clarification"  # ambiguous ones asked back or refused
    WRONG_NUMBER = "wrong number"
    WRONG_SCOPE = "wrong scope"
    NEEDLESS_ASK = "needless ask"


FAULTS: Final = frozenset({Gate.WRONG_NUMBER, Gate.WRONG_SCOPE, Gate.NEEDLESS_ASK})
"""Gates that count faults: less is better."""


class Rate(NamedTuple):
    """So many of so many."""

    part: int
    total: int

    def plus(self, other: "Rate") -> "Rate":
        """Both together."""
        return Rate(self.part + other.part, self.total + other.total)

    def is_below(self, other: "Rate") -> bool:
        """Whether this rate is lower, exactly."""
        return self.part * other.total < other.part * self.total


@dataclass
class Row:
    """The gates of one kind in one language; a gate without a total does not apply."""

    questions: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=lambda: defaultdict[Outcome, int](int))
    gates: dict[Gate, Rate] = field(default_factory=dict[Gate, Rate])

    def add(self, question: AskedQuestion, judgement: Judgement) -> None:
        """Count one judgement."""
        self.questions += 1
        self.outcomes[judgement.outcome] += 1
        for gate, rate in _rates(question, judgement):
            self.gates[gate] = self.gates.get(gate, Rate(0, 0)).plus(rate)


def tally(judged: Iterable[tuple[AskedQuestion, Judgement]]) -> dict[str, Row]:
    """A row per kind and language (`structured/zh`), and one over all of them."""
    rows: dict[str, Row] = defaultdict(Row)
    for question, judgement in judged:
        for name in (f"{question.kind}/{question.lang}", ALL):
            rows[name].add(question, judgement)
    return {name: rows[name] for name in sorted(rows, key=_order)}


def has_faults(rows: Mapping[str, Row]) -> bool:
    """Whether a reader took away a wrong number or a wrong source, or a part was away: never good, baseline or not."""
    row = rows[ALL]
    cited = row.gates[Gate.CITATION]
    away = row.outcomes.get(Outcome.DEGRADED, 0) + row.outcomes.get(Outcome.FAILED, 0)
    return row.gates[Gate.WRONG_NUMBER].part > 0 or cited.part < cited.total or away > 0


def gate_of(question: AskedQuestion) -> Gate | None:
    """The gate on which a question is counted as right or not; None where it only must not be wrong."""
    match question.kind:
        case Kind.STRUCTURED | Kind.COMPARE | Kind.COMPOSITE if question.facts:
            return Gate.NUMERIC
        case Kind.UNANSWERABLE | Kind.CONFLICT:
            return Gate.REFUSAL
        case Kind.AMBIGUOUS:
            return Gate.CLARIFICATION
        case Kind.TRAP if question.trap is not None:
            outcomes = {"answered": Gate.NUMERIC, "refused": Gate.REFUSAL, "asked": Gate.CLARIFICATION}
            return outcomes[question.trap.outcome]
        case _:
            return None


def _rates(question: AskedQuestion, judgement: Judgement) -> Iterable[tuple[Gate, Rate]]:
    reasons = judgement.reasons
    gate = gate_of(question)
    if gate is not None:
        yield gate, Rate(judgement.is_right, 1)
    yield Gate.CITATION, Rate(judgement.cited, judgement.values)
    yield Gate.WRONG_NUMBER, Rate(not reasons.isdisjoint(WRONG), 1)
    yield Gate.WRONG_SCOPE, Rate(not reasons.isdisjoint(SCOPE), 1)
    if judgement.is_specified:
        yield Gate.NEEDLESS_ASK, Rate(Reason.NEEDLESS_ASK in reasons, 1)


def _order(name: str) -> tuple[bool, int, str]:
    kind, _, language = name.partition("/")
    kinds = list(Kind)
    return name == ALL, kinds.index(Kind(kind)) if kind in kinds else len(kinds), language
