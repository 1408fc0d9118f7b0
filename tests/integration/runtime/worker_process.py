"""Worker processes for these tests: a small service on the real process library, started and watched from outside.

As a program it is that service: `python -m tests.integration.runtime.worker_process`.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from faststream.nats import NatsRouter
from pydantic import BaseModel

from runtime.app import Build, Worker, launch
from runtime.deadline import Deadline
from runtime.serving import rpc
from runtime.settings import RuntimeSettings, load_settings

ROOT = Path(__file__).parents[3]
PROFILE = ROOT / "deploy/sample/profile.toml"
QUEUE = "echo"
START_SECONDS = 15.0


class Say(BaseModel):
    text: str
    seconds: float = 0.0


class Said(BaseModel):
    text: str
    pid: int = 0


class EchoSettings(RuntimeSettings):
    subject: str = "test.echo"
    forward_to: str | None = None
    """Ask there instead of answering."""
    close_seconds: float = 0.0


def make_router(worker: Worker[EchoSettings]) -> NatsRouter:
    router, settings = NatsRouter(), worker.settings

    @rpc(router, settings.subject, queue=QUEUE)
    async def on_say(message: Say) -> Said:
        if message.text == "fail":
            raise RuntimeError(message.text)
        if message.text == "shout":
            return Said(text="x" * 2_000_000)
        await asyncio.sleep(message.seconds)
        if settings.forward_to is not None:
            return await worker.bus.request(settings.forward_to, message, Said, deadline=Deadline.after(5))
        return Said(text=message.text, pid=os.getpid())

    return router


@asynccontextmanager
async def build(worker: Worker[EchoSettings]) -> AsyncGenerator[None]:
    worker.broker.include_router(make_router(worker))
    yield
    await asyncio.sleep(worker.settings.close_seconds)


def configure() -> tuple[EchoSettings, Build[EchoSettings]]:
    return load_settings(EchoSettings), build


@dataclass
class Process:
    """A started worker."""

    popen: subprocess.Popen[str]
    port_file: Path
    log: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def terminate(self) -> None:
        self.popen.send_signal(signal.SIGTERM)

    def wait(self, seconds: float = 15.0) -> int:
        """The exit code."""
        return self.popen.wait(seconds)

    def events(self) -> list[dict[str, object]]:
        """The log lines written so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a request to the operations port; status 0 while nobody listens."""
        try:
            port = int(self.port_file.read_text())
            with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as reply:
                return reply.status, reply.read().decode()
        except HTTPError as refused:
            return refused.code, refused.read().decode()
        except (FileNotFoundError, URLError, ConnectionError):
            return 0, ""

    def until_ready(self) -> None:
        until(lambda: self.get("/readyz")[0] == 200, self)


def until(is_so: Callable[[], bool], process: Process | None = None, seconds: float = START_SECONDS) -> None:
    """Wait for something that happens in another process."""
    deadline = time.monotonic() + seconds
    while not is_so():
        log = process.log.read_text()[-2_000:] if process else ""
        assert time.monotonic() < deadline, f"did not happen in time: {log}"
        assert process is None or process.popen.poll() is None, f"the process has ended: {log}"
        time.sleep(0.02)


@contextmanager
def running_worker(nats_url: str, folder: Path, **variables: str) -> Generator[Process]:
    """Start the service; it is killed at the end if it still runs."""
    name = f"worker-{time.monotonic_ns()}"
    process_log, port_file = folder / f"{name}.log", folder / f"{name}.port"
    environment = {
        "PATH": os.environ["PATH"],
        "RAGSPINE_NATS_URL": nats_url,
        "RAGSPINE_PROFILE": str(PROFILE),
        "RAGSPINE_OPS_PORT_FILE": str(port_file),
        "RAGSPINE_STRICT_TELEMETRY": "1",
        **variables,
    }
    with process_log.open("w") as log:
        popen = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.runtime.worker_process"],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            text=True,
        )
    try:
        yield Process(popen, port_file, process_log, environment)
    finally:
        popen.kill()
        popen.wait()


if __name__ == "__main__":
    sys.exit(launch("echo", configure))
