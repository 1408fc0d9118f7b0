"""Composition root of the intent worker."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date, datetime
from functools import partial

from domain.profile import CompanyProfile, load_profile
from runtime.app import launch
from runtime.settings import load_settings
from runtime.worker import Build, Worker
from services.intent.handlers import make_router
from services.intent.observing import Observed
from services.intent.parser import RuleIntentParser
from services.intent.remembering import RememberingParser
from services.intent.settings import IntentSettings

# Its parse fills what is built on first use (Chinese variants, vocabulary), so that no user waits for it.
_WARM_UP_QUESTION = "ACME 2024年營收 how much"


def main() -> int:
    """Run the worker; returns the exit code of the process."""
    return launch("intent", configure)


def configure() -> tuple[IntentSettings, Build[IntentSettings]]:
    """Settings and profile from the environment."""
    settings = load_settings(IntentSettings)
    return settings, partial(build, load_profile(settings.profile))


@asynccontextmanager
async def build(profile: CompanyProfile, worker: Worker[IntentSettings]) -> AsyncGenerator[None]:
    """Compile the vocabulary and serve it."""
    parser = RememberingParser(RuleIntentParser(profile))

    def today() -> date:
        return datetime.now(profile.zone).date()

    parser.parse(_WARM_UP_QUESTION, reference_date=today())
    worker.uses_profile(profile.digest())
    worker.broker.include_router(make_router(parser, today, Observed(worker.metrics)))
    yield
