"""One hostile input and what came of it. A payload is kept as a file and is tried again from it, byte for byte."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol, Self

MARK = "Leak7Qz"
"""Stands in values only; a reply or a log line that holds it repeats what a caller sent."""


class BrokenClaimError(Exception):
    """A claim that a payload has broken; the message says which one, without the payload."""


@dataclass(frozen=True)
class Payload:
    """What is sent: `body` to the part called `part`, with whatever else the way of sending needs."""

    target: str
    part: str
    body: bytes
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of plain JSON."""

    def save(self, folder: Path, why: str) -> Path:
        """Keep it, with the reason; returns the file."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"why": why, **asdict(self), "body": base64.b64encode(self.body).decode()}, indent=1)
        path = folder / f"{self.target}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        path.write_text(text, encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: Path) -> Self:
        """A kept payload."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(kept["target"], kept["part"], base64.b64decode(kept["body"]), kept["more"])


class Target(Protocol):
    """Something that takes payloads."""

    @property
    def name(self) -> str: ...

    @property
    def seconds(self) -> float:
        """The processor time that one payload may cost; of the wall where others do the work."""
        ...

    def make(self, random: Random) -> Payload:
        """The payload of this state of `random`."""
        ...

    async def attempt(self, payload: Payload) -> str:
        """Try it; returns the outcome in a word, raises `BrokenClaimError`. Any other exception is a crash."""
        ...


def assert_no_mark(text: str, where: str) -> None:
    """Raise `BrokenClaimError` when a value of the payload came back."""
    if MARK.lower() in text.lower():
        raise BrokenClaimError(f"{where} repeats the input")


def has_marked_name(body: bytes) -> bool:
    """Whether damage has put the mark into a name of a JSON object: callers are shown their own names."""
    if MARK.encode() not in body:
        return False
    try:
        waiting = [json.loads(body)]
    except (ValueError, RecursionError):
        return False
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(MARK in name for name in value):
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return False
