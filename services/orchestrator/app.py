"""Composition root of the orchestrator: the only place that builds things."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import assert_never

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.deadline import Deadline, current_deadline
from runtime.settings import ConfigurationError, load_settings
from runtime.worker import Build, Worker
from services.orchestrator.bus_ports import HopBudgets, bus_ports
from services.orchestrator.handlers import make_router
from services.orchestrator.ports import Ports, Provider
from services.orchestrator.providers.offline import OfflineProvider
from services.orchestrator.reporting import Reporter
from services.orchestrator.settings import OrchestratorSettings


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("orchestrator", configure)


def configure() -> tuple[OrchestratorSettings, Build[OrchestratorSettings]]:
    """Settings and profile from the environment; opens nothing."""
    settings = load_settings(OrchestratorSettings)
    return settings, partial(build, load_profile(settings.profile), make_provider(settings))


@asynccontextmanager
async def build(
    profile: CompanyProfile, provider: Provider, worker: Worker[OrchestratorSettings]
) -> AsyncGenerator[None]:
    """Join the flow to the bus; every ask gets ports that know its deadline."""
    budgets = HopBudgets(
        intent_seconds=worker.settings.intent_timeout_seconds,
        facts_seconds=worker.settings.facts_timeout_seconds,
        narrative_seconds=worker.settings.narrative_timeout_seconds,
    )

    def ports_of_this_ask() -> Ports:
        deadline = current_deadline() or Deadline.after(worker.settings.default_deadline_seconds)
        return bus_ports(worker.bus, deadline, budgets, provider)

    worker.broker.include_router(make_router(profile, ports_of_this_ask, Reporter(worker.metrics)))
    yield


def make_provider(settings: OrchestratorSettings) -> Provider:
    """The model provider that `RAGSPINE_LLM` names."""
    match settings.llm:
        case "none":
            return OfflineProvider()
        case "openai" | "anthropic":
            raise ConfigurationError("RAGSPINE_LLM: this version answers without a model; the only value is none")
        case _:
            assert_never(settings.llm)
