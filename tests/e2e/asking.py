"""Asking a stack from outside, and what may be in the reply."""

import json
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import psutil

from cli.sample import FACTS, read_rows

QUESTION = "中国内地FY2024的REVENUE是多少"
ANSWER = "ACME_CN FY2024 REVENUE：1320 USD_M（来源：ACME_FY2024_Review.pptx · slide=2,table=1,row=REVENUE,col=FY2024）"

GRACE_SECONDS = 1.0
UNAVAILABLE = "unavailable"
LATE = "deadline_exceeded"
DEGRADED = "degraded"
WRONG = "wrong"
RIGHT = "right"

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Seen:
    """One reply."""

    status: int
    body: dict[str, Any]
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.status == 200 and self.body["answer"] == ANSWER

    @property
    def is_degraded(self) -> bool:
        return self.status == 200 and self.body["answer_kind"] == "degraded"

    @property
    def is_free_of_numbers(self) -> bool:
        """Whether no sentence of the reply holds a digit."""
        if self.status == 200:
            texts = [self.body["answer"], self.body["answer_plain"]]
            return not self.body["sources"] and not any(_DIGIT.search(text) for text in texts)
        return not _DIGIT.search(self.body["detail"] + self.body["title"])


def kind_of(seen: Seen, deadline_seconds: float) -> str:
    """What a reply is; `wrong` is what must never happen: a number that is not the right one, no code, or too late."""
    if seen.is_right:
        return RIGHT
    if not seen.is_free_of_numbers or seen.seconds > deadline_seconds + GRACE_SECONDS:
        return WRONG
    if seen.is_degraded:
        return DEGRADED
    if seen.status in (503, 504) and seen.body["retryable"]:
        return UNAVAILABLE if seen.status == 503 else LATE
    return WRONG


@contextmanager
def frozen(pid: int) -> Generator[None]:
    """A process and its children stand still; they go on at the end."""
    parent = psutil.Process(pid)
    processes = [parent, *parent.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            if process.is_running():
                process.resume()


def load_sample(url: str) -> None:
    """Load the facts of the sample company."""
    reply = httpx.post(f"{url}/v1/facts", json={"facts": read_rows(FACTS)}, timeout=20)
    assert reply.status_code == 200, reply.text


def ask(url: str, question: str = QUESTION, *, seconds: float = 5.0) -> Seen:
    """One ask over HTTP with a deadline."""
    start = time.monotonic()
    headers = {"Ragspine-Deadline": str(int((time.time() + seconds) * 1000))}
    request = {"question": question, "locale": "zh", "reference_date": "2025-05-20"}
    reply = httpx.post(f"{url}/v1/ask", json=request, headers=headers, timeout=seconds + 5)
    return Seen(reply.status_code, json.loads(reply.text), time.monotonic() - start)


def wait_until_right(url: str, *, seconds: float = 60.0) -> None:
    """Ask until the answer is right again."""
    until = time.monotonic() + seconds
    last: Seen | None = None
    while time.monotonic() < until:
        last = ask(url)
        if last.is_right:
            return
        time.sleep(0.1)
    raise AssertionError(f"not healed within {seconds} s: {last}")
