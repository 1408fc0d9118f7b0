"""Composition root of the orchestrator: the only place that builds things."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import assert_never

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.deadline import Deadline, current_deadline
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.clarify import nearest
from services.orchestrator.bus_ports import HopBudgets, bus_ports
from services.orchestrator.handlers import make_router
from services.orchestrator.ports import ModelDesk, Ports
from services.orchestrator.providers.gate import Breaker, ModelGate
from services.orchestrator.providers.observing import ModelObserver
from services.orchestrator.providers.ports import Provider
from services.orchestrator.providers.turns import Turns
from services.orchestrator.query_metric import QueryMetric
from services.orchestrator.reporting import Reporter
from services.orchestrator.settings import ModelSettings, OrchestratorSettings
from services.orchestrator.writing import Writer

NO_KEY = "none"
"""Sent to an endpoint that needs no key; the SDK wants something."""


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("orchestrator", configure)


def configure() -> tuple[OrchestratorSettings, Build[OrchestratorSettings]]:
    """Settings and profile from the environment; opens nothing."""
    settings = load_settings(OrchestratorSettings)
    return settings, partial(build, load_profile(settings.profile), make_provider(settings))


@asynccontextmanager
async def build(
    profile: CompanyProfile, provider: Provider | None, worker: Worker[OrchestratorSettings]
) -> AsyncGenerator[None]:
    """Join the flow to the bus; every ask gets ports that know its deadline."""
    budgets = HopBudgets(
        intent_seconds=worker.settings.intent_timeout_seconds,
        facts_seconds=worker.settings.facts_timeout_seconds,
        narrative_seconds=worker.settings.narrative_timeout_seconds,
    )
    desk = make_desk(profile, provider, worker) if provider else None
    writer = Writer(profile, worker.settings.prose_numbers)

    def ports_of_this_ask() -> Ports:
        deadline = current_deadline() or Deadline.after(worker.settings.default_deadline_seconds)
        return bus_ports(worker.bus, deadline, budgets, writer, desk)

    nearest.prepare(profile)
    worker.uses_profile(profile.digest())
    worker.broker.include_router(make_router(profile, ports_of_this_ask, Reporter(worker.metrics)))
    yield


def make_desk(
    profile: CompanyProfile, provider: Provider, worker: Worker[OrchestratorSettings]
) -> Callable[[Deadline], ModelDesk]:
    """What gives each ask its model, from one gate for the whole process."""
    settings = worker.settings
    observer, breaker = ModelObserver(worker.metrics, worker.telemetry), Breaker(clock=time.monotonic)
    observer.watch_circuit(provider.name, lambda: breaker.is_open)
    gate = ModelGate(
        provider=provider,
        observer=observer,
        breaker=breaker,
        turns=Turns(settings.llm_max_calls),
        timeout_seconds=settings.llm_timeout_seconds,
    )
    tool = QueryMetric(profile)
    facts_on_failure = settings.on_provider_failure == "facts"
    return lambda deadline: ModelDesk(gate.bound(deadline), tool, facts_on_failure, settings.decompose)


def make_provider(settings: ModelSettings) -> Provider | None:
    """The model provider that `RAGSPINE_LLM` names; None for none."""
    key = settings.llm_secret() or NO_KEY
    model, seconds, url = settings.llm_model or "", settings.llm_timeout_seconds, settings.llm_base_url
    # Imported where they are chosen: each SDK costs seconds and megabytes that a stack without it need not pay.
    match settings.llm:
        case "none":
            return None
        case "openai":
            from services.orchestrator.providers.openai import make_openai  # noqa: PLC0415

            return make_openai(base_url=url, model=model, api_key=key, timeout_seconds=seconds)
        case "anthropic":
            from services.orchestrator.providers.anthropic import make_anthropic  # noqa: PLC0415

            return make_anthropic(base_url=url, model=model, api_key=key, timeout_seconds=seconds)
        case _:
            assert_never(settings.llm)
