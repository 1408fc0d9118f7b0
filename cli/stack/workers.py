"""The five workers and the one-shot migration as units."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from cli.settings import ROOT, environment_copy
from cli.stack.layout import Layout, keys_file
from cli.stack.net import HttpReply, http_get
from cli.stack.units import Probe, Unit

GATEWAY: Final = "gateway"
ORCHESTRATOR: Final = "orchestrator"
FACTS: Final = "facts"
NARRATIVE: Final = "narrative"
WORKERS: Final = ("intent", FACTS, NARRATIVE, ORCHESTRATOR, GATEWAY)
"""In starting order; they stop the other way round."""
MIGRATE: Final = "migrate"
MODEL_PREFIX: Final = "RAGSPINE_LLM_"
"""Endpoint, key and limits of the model: for the process that speaks to it. `RAGSPINE_LLM` itself, which only says
whether there is a model, decides deadlines elsewhere too and goes to all."""
EMBEDDINGS_PREFIX: Final = "RAGSPINE_EMBEDDINGS"
"""The same for the model of embeddings, which only the narrative worker speaks to."""
LOOPBACK: Final = "127.0.0.1"
BEHIND_THE_GATEWAY: Final = 10
"""Niceness of the workers: a ninth of the gateway's weight. When processors are short, the gateway is the one that must
say so at once, and be seen to live."""
_NOT_FOR_ALL: Final = ("PYTHON", "RAGSPINE_API_KEY", MODEL_PREFIX, EMBEDDINGS_PREFIX)


def worker_environment(servers: Mapping[str, str], profile: Path, *, origin: Path) -> dict[str, str]:
    """What every worker gets: ours without the model's key and endpoint, the servers' addresses, the profile.

    `profile` is a copy of `origin`, which may be edited while the stack runs.
    """
    ours = {k: v for k, v in environment_copy().items() if not k.startswith(_NOT_FOR_ALL)}
    return {
        **ours,
        **servers,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "RAGSPINE_PROFILE": str(profile),
        "RAGSPINE_PROFILE_ORIGIN": str(origin),
    }


def model_environment(prefix: str = MODEL_PREFIX) -> dict[str, str]:
    """What the one worker that speaks to a model gets beside that: where the model is, and its key."""
    return {k: v for k, v in environment_copy().items() if k.startswith(prefix)}


def migration(layout: Layout, environment: Mapping[str, str]) -> Unit:
    """Brings the database's schemas up to date and ends."""

    async def done() -> str | None:
        return None

    return Unit(
        name=MIGRATE,
        command=(sys.executable, "-P", "-m", "runtime.migrate"),
        environment=environment,
        log=layout.log(MIGRATE),
        is_ready=done,
    )


def worker(service: str, number: int, layout: Layout, environment: Mapping[str, str], http: tuple[str, int]) -> Unit:
    """The `number`th process of a service; only the first gateway listens on the stack's HTTP port."""
    name = service if number == 1 else f"{service}-{number}"
    port_file = layout.run / f"{name}.port"
    own = {
        "RAGSPINE_OPS_HOST": LOOPBACK,
        "RAGSPINE_OPS_PORT": "0",
        "RAGSPINE_OPS_PORT_FILE": str(port_file),
    }
    if service == ORCHESTRATOR:
        own |= model_environment()
    if service == NARRATIVE:
        own |= model_environment(EMBEDDINGS_PREFIX)
    is_front = service == GATEWAY and number == 1
    if service == GATEWAY:
        own |= {"RAGSPINE_HTTP_HOST": http[0], "RAGSPINE_HTTP_PORT": str(http[1] if is_front else 0)}
        keys = environment.get("RAGSPINE_HTTP_KEYS_FILE") or str(keys_file(layout.data_dir))
        own |= {"RAGSPINE_HTTP_KEYS_FILE": keys}
    return Unit(
        name=name,
        command=(sys.executable, "-P", "-m", f"services.{service}"),
        environment={**environment, **own},
        log=layout.log(name),
        is_ready=_readiness(port_file, http if is_front else None),
        is_alive=_liveness(port_file),
        ops_port_file=port_file,
        niceness=0 if service == GATEWAY else BEHIND_THE_GATEWAY,
        before_start=lambda: port_file.unlink(missing_ok=True),
    )


def read_port(port_file: Path) -> int | None:
    """The port a worker has chosen; None before it listens."""
    try:
        return int(port_file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _readiness(port_file: Path, http: tuple[str, int] | None) -> Probe:
    async def probe() -> str | None:
        missing = await _ask_readyz(LOOPBACK, read_port(port_file))
        if missing is None and http is not None:
            return await _ask_readyz(*http)
        return missing

    return probe


def _liveness(port_file: Path) -> Probe:
    async def probe() -> str | None:
        port = read_port(port_file)
        if port is None:
            return None  # not listening yet: starting, not hanging
        reply = await http_get(LOOPBACK, port, "/healthz")
        return None if reply is not None and reply.status == 200 else "does not answer /healthz"

    return probe


async def _ask_readyz(host: str, port: int | None) -> str | None:
    if port is None:
        return "not listening yet"
    reply = await http_get(host, port, "/readyz")
    if reply is None:
        return "not answering yet"
    if reply.status == 200 and reply.body.get("status") == "ready":
        return None
    return f"not ready ({failed_checks(reply)})"


def failed_checks(reply: HttpReply) -> str:
    """Which checks of a `/readyz` are not well, with their codes."""
    checks = reply.body.get("checks")
    if not isinstance(checks, dict):
        return f"status {reply.status}"
    named = cast(dict[object, object], checks)
    failed = [f"{name}: {value}" for name, value in named.items() if value not in ("ok", True)]
    return ", ".join(failed) or f"status {reply.status}"
