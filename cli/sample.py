"""Loads the fictional sample: facts through the gateway, as any app would, and documents from their files."""

import asyncio
import csv
from pathlib import Path
from typing import Final

from cli import loading
from cli.client import Gateway
from cli.console import CliError, ExitCode
from cli.settings import SAMPLE
from contracts.v1.facts import FactsLoaded
from domain.profile import load_profile
from services.narrative.loader import load_files

FACTS: Final = SAMPLE / "facts.csv"
PASSAGES: Final = SAMPLE / "passages"


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a facts file as request objects; empty cells are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]


def load_sample(gateway: Gateway) -> FactsLoaded:
    """Load the sample; loading it again changes nothing."""
    reply = gateway.call("POST", "/v1/facts", body={"facts": read_rows(FACTS)})
    return FactsLoaded.model_validate_json(reply.text)


def load_sample_passages(postgres_url: str | None) -> int:
    """Load the sample's documents, and return how many passages they hold."""
    if postgres_url is None:
        raise CliError("the running stack does not say where its database is", code=ExitCode.DEGRADED)
    with loading.faults():
        profile = load_profile(SAMPLE / "profile.toml")
        report = asyncio.run(load_files(postgres_url, [PASSAGES], profile=profile))
    if report.loaded is None:
        raise CliError(f"{report.bad_rows} passages of the sample cannot be loaded", code=ExitCode.FAILED)
    return report.loaded.received
