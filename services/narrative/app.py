"""Composition root of the narrative worker."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.narrative.handlers import make_router
from services.narrative.observing import Observed
from services.narrative.settings import NarrativeSettings


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("narrative", configure)


def configure() -> tuple[NarrativeSettings, Build[NarrativeSettings]]:
    """Settings and profile from the environment."""
    settings = load_settings(NarrativeSettings)
    return settings, partial(build, load_profile(settings.profile))


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[NarrativeSettings]) -> AsyncGenerator[None]:
    """Nothing to open: there is no material to keep."""
    worker.uses_profile(profile.digest())
    worker.broker.include_router(make_router(profile.digest(), Observed(worker.metrics)))
    yield
