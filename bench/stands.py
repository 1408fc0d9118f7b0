"""What is measured, running: a whole stack on the sample company, the chain of empty handlers, and the bare round trip.

The stack has its own nats-server, which lets nobody in that its table does not name; chain and bare round trip share
another one of the same build, without users. Everything is started here, on free ports and in directories of its own,
and ends with the `with` block.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain as joined
from itertools import count, repeat
from typing import Final

import httpx2
import psutil
from nats.errors import Error

from bench import chain, peers
from bench.clients import Expected, Tally, over_http, over_nats
from cli.client import Gateway
from cli.sample import load_sample
from contracts import subjects
from tests.support.servers import accepts, free_port, running_nats
from tests.support.stacks import ROOT, running_stack

SAMPLE_PROFILE: Final = ROOT / "deploy/sample/profile.toml"
START_SECONDS: Final = 60.0

_ASK: Final = '{"question":"中国内地FY2024的REVENUE是多少","locale":"zh","reference_date":"%s"}'
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_DAYS: Final = date(2200, 1, 1).toordinal() - _FIRST_DAY


def new_questions() -> Iterator[bytes]:
    """Questions that nobody asked before: each has another reference date, and all have the same answer."""
    for day in count():
        yield (_ASK % date.fromordinal(_FIRST_DAY + day % _DAYS)).encode()


REPEATED: Final = (_ASK % "2025-06-30").encode()
ANSWERED: Final = b'"value":"1320"'

VARIANTS: Final[dict[str, Mapping[str, str]]] = {
    "off": {},
    "sampled out": {"OTEL_TRACES_SAMPLER": "parentbased_always_off"},
    "exported": {"OTEL_TRACES_SAMPLER": "parentbased_always_on"},
}
"""What becomes of traces: none made; made by nobody, as the head decides; all sent to a collector."""


@dataclass(frozen=True)
class Target:
    """Something that answers requests, and the processes that work for it."""

    name: str
    call: Callable[[int, Tally, Callable[[], None]], None]
    """Runs a closed loop with so many in flight."""
    processes: Mapping[str, psutil.Process]
    """By name."""

    def cpu_seconds(self) -> dict[str, float]:
        """Processor time of each process until now, with its children such as Postgres' sessions."""
        return {name: sum(map(_cpu_seconds, _with_children(process))) for name, process in self.processes.items()}


@dataclass(frozen=True)
class Stand:
    """One variant of everything: each target with a door for HTTP or NATS."""

    variant: str
    bare: Target
    chain: Mapping[str, Target]
    """By door: `http`, `nats`."""
    ask: Mapping[str, Target]
    """Every question is a new one."""
    again: Mapping[str, Target]
    """Every question is the same one."""
    ops_urls: Mapping[str, str]
    """Where the stack's workers show their metrics."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """All of them, in the order of a round."""
        doors = ((self.chain[door], self.ask[door], self.again[door]) for door in self.ask)
        return (self.bare, *joined.from_iterable(doors))

    def spans_exported(self) -> int:
        """How many spans the workers of the stack have sent to the collector."""
        return sum(_spans(f"{url}/metrics") for url in self.ops_urls.values())


@contextmanager
def running_stand(variant: str) -> Generator[Stand]:
    """Start one variant of everything, with the sample's facts loaded."""
    with ExitStack() as stack:
        telemetry = dict(VARIANTS[variant])
        if telemetry:
            port = free_port()
            stack.enter_context(_running([sys.executable, "-P", "-m", "bench.peers", "sink", str(port)], {}))
            _await(lambda: accepts(port))
            telemetry["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{port}"
        state = stack.enter_context(running_stack(environment=telemetry)).state
        load_sample(Gateway(state["http_url"]))
        url, same = f"{state['http_url']}/v1/ask", partial(Expected, repeat(REPEATED))
        bus, open_bus = state["nats_url"], stack.enter_context(running_nats())
        nats = psutil.Process(open_bus.server.pid)
        echo = stack.enter_context(_running([sys.executable, "-P", "-m", "bench.peers", "echo", open_bus.url], {}))
        links, door = stack.enter_context(_running_chain(open_bus.url, telemetry))
        workers = {name: psutil.Process(unit["pid"]) for name, unit in state["processes"].items() if unit["pid"]}
        yield Stand(
            variant,
            bare=Target("bare", _nats_call(open_bus.url, peers.ECHO, same(b"question")), {"echo": echo, "nats": nats}),
            chain=_doors("chain", door, open_bus.url, chain.DOOR, same(chain.MARK), {**links, "nats": nats}),
            ask=_doors("ask", url, bus, subjects.ask(), Expected(new_questions(), ANSWERED), workers),
            again=_doors("again", url, bus, subjects.ask(), same(ANSWERED), workers),
            ops_urls={name: unit["ops_url"] for name, unit in state["processes"].items() if unit["ops_url"]},
        )


def warm(stand: Stand, seconds: float) -> None:
    """Let every target run for a while at a middle load, so that nothing measured is the first of its kind."""
    for target in stand.targets:
        _until_answered(target)
        target.call(16, Tally(seconds), lambda: None)


def _doors(
    name: str, url: str, bus: str, subject: str, expected: Expected, processes: Mapping[str, psutil.Process]
) -> Mapping[str, Target]:
    def http(in_flight: int, tally: Tally, on_start: Callable[[], None]) -> None:
        over_http(url, expected, in_flight=in_flight, tally=tally, on_start=on_start)

    return {
        "http": Target(f"{name} over HTTP", http, processes),
        "nats": Target(f"{name} over NATS", _nats_call(bus, subject, expected), processes),
    }


def _nats_call(bus: str, subject: str, expected: Expected) -> Callable[[int, Tally, Callable[[], None]], None]:
    def call(in_flight: int, tally: Tally, on_start: Callable[[], None]) -> None:
        over_nats(bus, subject, expected, in_flight=in_flight, tally=tally, on_start=on_start)

    return call


@contextmanager
def _running_chain(bus: str, telemetry: Mapping[str, str]) -> Generator[tuple[Mapping[str, psutil.Process], str]]:
    port = free_port()
    environment = {
        **telemetry,
        "RAGSPINE_NATS_URL": bus,
        "RAGSPINE_PROFILE": str(SAMPLE_PROFILE),
        "RAGSPINE_HTTP_PORT": str(port),
    }
    with ExitStack() as stack:
        links = {
            role: stack.enter_context(_running([sys.executable, "-P", "-m", "bench.chain", role], environment))
            for role in chain.ROLES
        }
        _await(lambda: accepts(port))
        yield links, f"http://127.0.0.1:{port}/"


@contextmanager
def _running(command: list[str], environment: Mapping[str, str]) -> Generator[psutil.Process]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("RAGSPINE_", "OTEL_", "PYTHON"))}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            env={**ours, "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
        )
        try:
            yield psutil.Process(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def _until_answered(target: Target) -> None:
    """A worker that has just started may not have joined the bus yet."""

    def answers() -> bool:
        try:
            target.call(1, Tally(0.01), lambda: None)
        except (Error, OSError, ExceptionGroup):
            return False
        return True

    _await(answers)


def _await(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + START_SECONDS
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("something that is to be measured did not start")
        time.sleep(0.1)


def _with_children(process: psutil.Process) -> Generator[psutil.Process]:
    yield process
    with suppress(psutil.NoSuchProcess):
        yield from process.children(recursive=True)


def _cpu_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def _spans(url: str) -> int:
    lines = httpx2.get(url, timeout=10).raise_for_status().text.splitlines()
    found = [line for line in lines if line.startswith('ragspine_spans_total{outcome="exported"}')]
    return int(float(found[0].rpartition(" ")[2])) if found else 0
