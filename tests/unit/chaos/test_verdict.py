"""What the chaos runs find wrong: a lost, altered, second or other answer, and nothing else."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from contracts.codes import AskState, ErrorCode
from contracts.v1.asks import AskStatus, DurableAnswer
from contracts.v1.errors import ErrorReply
from tests.chaos import killing
from tests.chaos.asks import Accepted, Question, verdict
from tests.chaos.killing import Killing, Kind
from tests.component.gateway.doors import ANSWER

AT = datetime(2025, 5, 20, tzinfo=UTC)
OTHER = ANSWER.model_copy(update={"answer": "1321"})
WORD = DurableAnswer(
    ask_id="a", app="local", state=AskState.ANSWERED, attempts=1, accepted_at=AT, finished_at=AT, answer=ANSWER
)
STATUS = AskStatus(ask_id="a", app="local", state=AskState.ANSWERED, attempts=1, accepted_at=AT, answer=ANSWER)
FAILED = WORD.model_copy(
    update={
        "state": AskState.FAILED,
        "answer": None,
        "error": ErrorReply(code=ErrorCode.INTERNAL, retryable=False, message="x"),
    }
)


def ask(*, seen: DurableAnswer | None = None) -> Accepted:
    return Accepted("a", Question({}, ANSWER.answer), "http", seen.model_dump_json().encode() if seen else None)


def test_an_ask_with_its_one_right_answer_is_well() -> None:
    assert verdict(ask(seen=WORD), WORD.model_dump_json().encode(), STATUS) is None


@pytest.mark.parametrize(
    ("seen", "stored", "status", "fault"),
    [
        (None, None, STATUS, "no stored answer"),
        (None, WORD, None, "not in the ledger"),
        (WORD.model_copy(update={"attempts": 2}), WORD, STATUS, "the stored answer was altered"),
        (None, WORD, STATUS.model_copy(update={"answer": OTHER}), "ledger and stream differ"),
        (None, WORD, STATUS.model_copy(update={"state": AskState.WORKING}), "ledger and stream differ"),
        (None, FAILED, STATUS.model_copy(update={"state": AskState.FAILED, "answer": None}), "ended as failed"),
        (
            None,
            WORD.model_copy(update={"answer": OTHER}),
            STATUS.model_copy(update={"answer": OTHER}),
            "another answer: normal",
        ),
    ],
)
def test_every_other_end_is_seen(
    seen: DurableAnswer | None, stored: DurableAnswer | None, status: AskStatus | None, fault: str
) -> None:
    content = stored.model_dump_json().encode() if stored else None

    assert verdict(ask(seen=seen), content, status) == fault


@dataclass
class Victim:
    name: str
    kind: Kind
    killed: list[str] = field(default_factory=list)

    def is_up(self) -> bool:
        return True

    async def kill(self) -> None:
        self.killed.append(self.name)


async def killed_by(seed: int) -> Sequence[str]:
    order: list[str] = []
    victims = [Victim(f"w{number}", Kind.WORKER, order) for number in range(4)] + [Victim("nats", Kind.BROKER, order)]
    run = Killing(victims, {Kind.WORKER: 8, Kind.BROKER: 2}, random.Random(seed), per_minute=60)
    await run.run()
    assert (run.of(Kind.WORKER), run.of(Kind.BROKER)) == (8, 2)
    return order


async def test_a_seed_fixes_who_is_killed_when_and_everybody_has_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killing, "PAUSE_SECONDS", (0.0, 0.0))
    monkeypatch.setattr(killing, "HEAD_START_SECONDS", (0.0, 0.0))

    once, again, other = await killed_by(1), await killed_by(1), await killed_by(2)

    assert once == again != other
    assert all(once.count(f"w{number}") == 2 for number in range(4))
