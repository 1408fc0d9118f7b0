"""Random kills in an order that a seed fixes: `kill -9` of workers and of the broker, immediate restarts of Postgres.

Which process dies when is drawn from the seed alone; how far the work is at that moment is up to the machine.
"""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

BACK_SECONDS = 60.0
"""For a killed process to be back, on a busy machine."""
PAUSE_SECONDS = (0.1, 0.9)
"""Between two kills, drawn anew each time."""
HEAD_START_SECONDS = (0.05, 0.5)
"""Between the word that a kill is near and the kill."""
KILLS_PER_MINUTE = 4
"""Of one process: whoever keeps it running gives up on one that crashes all the time, and rightly so."""


class Kind(StrEnum):
    """What is killed."""

    WORKER = "worker"
    BROKER = "broker"
    DATABASE = "database"


class Victim(Protocol):
    """A process that somebody starts again when it has been killed."""

    @property
    def name(self) -> str:
        """How it is called in the report."""
        ...

    @property
    def kind(self) -> Kind:
        """What it is."""
        ...

    def is_up(self) -> bool:
        """Whether it serves at the moment."""
        ...

    async def kill(self) -> None:
        """End it without a chance to clean up."""
        ...


@dataclass
class Killing:
    """So many kills of each kind; `before_kill` is told a moment before each, so that every one of them hits work."""

    victims: Sequence[Victim]
    wanted: Mapping[Kind, int]
    chance: random.Random
    before_kill: Callable[[], None] = lambda: None
    per_minute: int = KILLS_PER_MINUTE
    done: Counter[str] = field(default_factory=Counter[str])
    """Kills by name of the victim."""
    _times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _decks: dict[Kind, list[Victim]] = field(default_factory=lambda: defaultdict(list))

    async def run(self) -> None:
        """Kill until everything wanted is done; raises `TimeoutError` when a victim does not come back."""
        order = [kind for kind, number in self.wanted.items() for _ in range(number)]
        self.chance.shuffle(order)
        for kind in order:
            await asyncio.sleep(self.chance.uniform(*PAUSE_SECONDS))
            victim = self._next(kind)
            await self._until(victim)
            self.before_kill()
            await asyncio.sleep(self.chance.uniform(*HEAD_START_SECONDS))
            await victim.kill()
            self.done[victim.name] += 1
            self._times[victim.name].append(time.monotonic())

    def of(self, kind: Kind) -> int:
        """How many of that kind were killed."""
        return sum(self.done[victim.name] for victim in self.victims if victim.kind is kind)

    def _next(self, kind: Kind) -> Victim:
        """At random, but nobody twice before everybody of the kind had a turn."""
        deck = self._decks[kind]
        if not deck:
            deck.extend(victim for victim in self.victims if victim.kind is kind)
            self.chance.shuffle(deck)
        return deck.pop()

    async def _until(self, victim: Victim) -> None:
        """Wait until the victim is up and may be killed again."""
        async with asyncio.timeout(BACK_SECONDS + 60.0):
            while not (self._may(victim) and await asyncio.to_thread(victim.is_up)):
                await asyncio.sleep(0.05)

    def _may(self, victim: Victim) -> bool:
        last = [at for at in self._times[victim.name] if at > time.monotonic() - 60.0]
        return len(last) < self.per_minute


def all_are_up(victims: Sequence[Victim]) -> bool:
    """Whether everything that was killed is back."""
    return all(victim.is_up() for victim in victims)
