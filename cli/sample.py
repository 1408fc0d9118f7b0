"""Loads the fictional sample through the gateway, as any app would."""

import csv
from pathlib import Path
from typing import Final

from cli.client import Gateway
from cli.settings import SAMPLE
from contracts.v1.facts import FactsLoaded

FACTS: Final = SAMPLE / "facts.csv"


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a facts file as request objects; empty cells are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]


def load_sample(gateway: Gateway) -> FactsLoaded:
    """Load the sample; loading it again changes nothing."""
    reply = gateway.call("POST", "/v1/facts", body={"facts": read_rows(FACTS)})
    return FactsLoaded.model_validate_json(reply.text)
