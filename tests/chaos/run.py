"""One run: asks are handed in while everything is killed, and at the end each accepted one has its one right answer."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import nats
from nats.aio.client import Client

from cli.sample import FACTS, read_rows
from tests.chaos.asks import Apps, Question, gathered, verdict
from tests.chaos.killing import Killing, Kind, all_are_up
from tests.chaos.stack_victims import victims_of
from tests.e2e.asking import load_sample
from tests.support.bus import connect_as
from tests.support.stacks import Stack, running_stack

SCALE = ("gateway=2", "orchestrator=2", "intent=2", "facts=2")
SENDERS = 16
GLANCE_SHARE = 0.3
"""Of the asks between two kills: their answers are looked at while the killing goes on, and again at the end."""
SETTLE_SECONDS = 180.0


@dataclass(frozen=True)
class Report:
    """What became of a run."""

    seed: int
    accepted: int
    by_door: Mapping[str, int]
    attempts: int
    """Times that an ask was handed in; the surplus was refused, or its acknowledgement got lost."""
    looked_at: int
    """Answers that were read while the killing went on, and compared at the end."""
    kills: Mapping[str, int]
    kinds: Mapping[Kind, int]
    attempts_to_answer: int
    """Times that answering was begun; the surplus was interrupted."""
    wrong: Mapping[str, int]
    """What is wrong with how many asks."""
    answers: int
    """Messages in the stream of answers."""
    seconds: float

    def __str__(self) -> str:
        kinds = ", ".join(f"{number} {kind}" for kind, number in self.kinds.items())
        return (
            f"seed {self.seed}: {self.accepted:,} accepted ({dict(self.by_door)}), handed in {self.attempts:,} times, "
            f"answering begun {self.attempts_to_answer:,} times, {self.answers:,} stored answers, {self.looked_at:,} "
            f"of them read before, kills: {kinds} {dict(self.kills)}, wrong: {dict(self.wrong) or 0}, "
            f"{self.seconds:.0f} s"
        )


def run(asks: int, wanted: Mapping[Kind, int], seed: int) -> Report:
    """Run on a stack of its own; it is gone afterwards."""
    with running_stack(scale=SCALE) as stack:
        load_sample(stack.http_url)
        return asyncio.run(run_on(stack, asks, wanted, seed))


async def run_on(stack: Stack, asks: int, wanted: Mapping[Kind, int], seed: int) -> Report:
    """Run on a stack with the sample's facts."""
    begin, chance = time.monotonic(), random.Random(seed)
    async with httpx.AsyncClient(base_url=stack.http_url) as http, _bus(stack) as bus:
        questions = await questions_of_sample(http)
        apps = Apps(http, bus, seed)
        share = -(-asks // (sum(wanted.values()) + 1))
        victims = victims_of(stack)
        killing = Killing(victims, wanted, chance, before_kill=lambda: apps.allow(share))
        apps.allow(share)
        sending = asyncio.create_task(apps.hand_in_all(questions, asks, SENDERS))
        looking = asyncio.create_task(_look_on(apps, random.Random(seed), round(share * GLANCE_SHARE)))
        await killing.run()
        await sending
        looking.cancel()
        await apps.until_answered(SETTLE_SECONDS)
        async with asyncio.timeout(SETTLE_SECONDS):
            while not all_are_up(victims):
                await asyncio.sleep(0.2)
        return await _judged(stack, apps, killing, seed, begin)


async def _look_on(apps: Apps, chance: random.Random, asks: int) -> None:
    while True:
        await asyncio.sleep(0.5)
        await apps.glance(chance, asks)


async def _judged(stack: Stack, apps: Apps, killing: Killing, seed: int, begin: float) -> Report:
    stored = await gathered(apps.stored, apps.accepted)
    ledger = await gathered(apps.in_ledger, apps.accepted)
    ends = zip(apps.accepted, stored, ledger, strict=True)
    wrong = Counter(fault for ask, word, status in ends if (fault := verdict(ask, word, status)))
    if len({ask.ask_id for ask in apps.accepted}) != len(apps.accepted):
        wrong["two asks under one id"] += 1
    return Report(
        seed=seed,
        accepted=len(apps.accepted),
        by_door=Counter(ask.door for ask in apps.accepted),
        attempts=apps.attempts,
        looked_at=sum(ask.seen is not None for ask in apps.accepted),
        kills=dict(killing.done),
        kinds={kind: killing.of(kind) for kind in Kind},
        attempts_to_answer=sum(status.attempts for status in ledger if status is not None),
        wrong=wrong,
        answers=await _stored_answers(stack),
        seconds=time.monotonic() - begin,
    )


async def _stored_answers(stack: Stack) -> int:
    bus = await connect_as(stack, "migrate")  # no app may look at the stream as a whole
    try:
        found = await bus.jetstream().stream_info("RAGSPINE_ANSWERS")
        return found.state.messages
    finally:
        await bus.close()


@asynccontextmanager
async def _bus(stack: Stack) -> AsyncGenerator[Client]:
    async def ignore(_: Exception) -> None:
        """What fails is seen where it is used."""

    client = await nats.connect(
        stack.state["nats_url"], max_reconnect_attempts=-1, reconnect_time_wait=0.2, error_cb=ignore
    )
    try:
        yield client
    finally:
        await client.close()


async def questions_of_sample(http: httpx.AsyncClient) -> Sequence[Question]:
    """Questions for facts of the sample, with answers that hold the figures of its file."""
    rows = [row for row in read_rows(FACTS) if row["period_type"] == "FY" and row["channel"] == "TOTAL"]
    found: list[Question] = []
    for row in rows[:40]:
        body = {
            "question": f"{row['entity']} FY{row['period']} {row['metric_code']}",
            "locale": "en",
            "reference_date": "2025-05-20",
        }
        reply = await http.post("/v1/ask", json=body, timeout=20)
        answer = reply.json()
        if answer["answer_kind"] == "normal" and row["value"] in answer["answer"]:
            found.append(Question(body, answer["answer"]))
    assert len(found) > len(rows[:40]) // 2, f"only {len(found)} of the sample's questions are answered"
    return found
