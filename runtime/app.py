"""The front door of a worker: `launch` is what every `python -m services.X` calls.

Exit codes: 0 stopped as asked · 1 ended by a fault · 2 a setting or the profile is wrong (one line on stderr names it)
· 128 + n a second signal n came before the stop was done.
"""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Final

import uvloop

from runtime.http_server import listen
from runtime.lifecycle import EXIT_STOPPED, Lifecycle
from runtime.logging import setup_logging
from runtime.metrics import Metrics
from runtime.observer import Observer
from runtime.settings import ConfigurationError, OtelSettings, load_settings
from runtime.telemetry import start_telemetry
from runtime.threads import take_short_turns
from runtime.worker import Build, S, Worker

__all__ = ["EXIT_CONFIGURATION", "Build", "Worker", "launch", "run"]

EXIT_CONFIGURATION: Final = 2


def launch(service: str, configure: Callable[[], tuple[S, Build[S]]], argv: Sequence[str] | None = None) -> int:
    """Run a worker from the command line and return its exit code.

    `configure` reads settings and profile and opens nothing. What it raises, beside `ConfigurationError`, concerns the
    profile, and ends the process with one line on stderr. With `--check` that is all that is done.
    """
    parser = argparse.ArgumentParser(prog=f"python -m services.{service}")
    parser.add_argument("--check", action="store_true", help="read settings and profile, say what is wrong, and exit")
    arguments = parser.parse_args(argv)
    try:
        settings, build = configure()
    except ConfigurationError as error:
        return _refuse(service, str(error))
    except Exception as error:
        return _refuse(service, f"RAGSPINE_PROFILE: {error}")
    return EXIT_STOPPED if arguments.check else run(service, settings, build)


def run(service: str, settings: S, build: Build[S]) -> int:
    """Run a worker until it is told to stop; returns the exit code of the process."""
    setup_logging(settings.log_level, service, strict=settings.strict_telemetry)
    instance = secrets.token_hex(4)
    try:
        otel = load_settings(OtelSettings)
        ops_socket = listen(settings.ops_host, settings.ops_port)
    except ConfigurationError as error:
        return _refuse(service, str(error))
    except OSError as error:
        return _refuse(service, f"RAGSPINE_OPS_HOST and RAGSPINE_OPS_PORT: cannot listen there: {error.strerror}")
    take_short_turns()
    metrics = Metrics()
    telemetry = start_telemetry(service, instance, otel, metrics, strict=settings.strict_telemetry)

    async def live() -> int:
        return await Lifecycle(service, instance, settings, Observer(metrics, telemetry)).run(build, ops_socket)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(live())
    except ConfigurationError as error:
        return _refuse(service, str(error))
    finally:
        telemetry.shutdown()


def _refuse(service: str, reason: str) -> int:
    sys.stderr.write(f"ragspine {service}: {' '.join(reason.split())}\n")
    return EXIT_CONFIGURATION
