"""The short form, with the same payloads in every run, of what needs no server; and planted faults that are found."""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import targets
from tests.fuzz.contracts import models
from tests.fuzz.logged import watched_log
from tests.fuzz.parsers import readers
from tests.fuzz.payloads import MARK, BrokenClaimError, Payload
from tests.fuzz.running import Report, attempt, payload_of, run

COUNTS = {"contracts": 1_500, "parsers": 300, "http": 600}


@pytest.mark.parametrize("name", COUNTS)
async def test_hostile_input_is_read_or_refused_in_time_and_is_never_repeated(name: str, tmp_path: Path) -> None:
    report = Report(seed=1)

    with watched_log() as lines:
        async with targets() as known:
            async for _ in run(known[name], report, range(COUNTS[name]), failures=tmp_path):
                pass

    assert (report.failures, lines.leaks) == ([], [])
    assert report.count == COUNTS[name]
    assert len(report.outcomes) > 1


class _Planted:
    """A handler that fails in one way for each of three payloads out of two hundred."""

    name = "planted"
    seconds = 0.01

    def make(self, random: Random) -> Payload:
        return Payload(self.name, "a", str(random.randrange(200)).encode())

    async def attempt(self, payload: Payload) -> str:
        match int(payload.body):
            case 7:
                raise KeyError(payload.body)
            case 8:
                raise BrokenClaimError("500 internal")
            case 9:
                sum(range(3_000_000))
        return "200"


async def test_a_planted_crash_a_planted_500_and_a_planted_delay_are_found_and_kept(tmp_path: Path) -> None:
    report = Report(seed=1)

    async for _ in run(_Planted(), report, range(500), failures=tmp_path):
        pass

    found = "\n".join(report.failures)
    assert "crash: KeyError" in found
    assert "500 internal" in found
    assert "took 0." in found
    assert _bodies(tmp_path) == {b"7", b"8", b"9"}


def _bodies(folder: Path) -> set[bytes]:
    return {Payload.load(path).body for path in folder.iterdir()}


async def test_a_kept_payload_breaks_the_same_claim_again(tmp_path: Path) -> None:
    path = Payload("planted", "a", b"7").save(tmp_path, "crash")
    report = Report(seed=1)

    outcome = await attempt(_Planted(), Payload.load(path), report, tmp_path)

    assert outcome == "BROKEN"
    assert "KeyError" in report.failures[0]


async def test_the_same_seed_gives_the_same_payloads() -> None:
    async with targets() as known:
        for target in known.values():
            assert [payload_of(target, 3, n) for n in range(30)] == [payload_of(target, 3, n) for n in range(30)]
            assert payload_of(target, 3, 0) != payload_of(target, 4, 0)


def test_a_log_line_with_something_of_a_payload_is_found() -> None:
    with watched_log() as lines:
        lines.write(f'{{"event": "asked", "question": "{MARK}"}}\n')

    assert len(lines.leaks) == 1


def test_every_message_is_fuzzed() -> None:
    assert {"AskRequest", "AnswerResult", "LoadFacts", "FaqItems", "ErrorReply", "ParsedIntent"} <= models().keys()


@pytest.mark.parametrize(
    "unit", ["营收Leak的FY2024", "REVENUE和", "2024年", "1,", "((", "е", "&#x6a;", "一万", "|a\n", "of the "]
)
def test_time_does_not_grow_with_the_square_of_a_text(unit: str) -> None:
    text = unit * 4_000

    for name, read in readers().items():
        short = _processor_seconds(read, text[:1_000])
        long = _processor_seconds(read, text[:2_000])
        assert long < max(0.15, 3 * short), f"{name}: {short:.3f} s, then {long:.3f} s"


def _processor_seconds(read: Callable[[str], str], text: str) -> float:
    """The least of three: a collection of garbage of other tests, or one of their threads, is no time of the reader."""
    return min(_once(read, text) for _ in range(3))


def _once(read: Callable[[str], str], text: str) -> float:
    start = time.thread_time()
    read(text)
    return time.thread_time() - start
