"""The 10-Q set of the retrieval benchmark: which quarterly report is meant, by entity, period and "latest"."""

import json
import tomllib
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from contracts.v1.intent import ParsedIntent
from contracts.v1.narrative import PassageRow
from domain.profile import CompanyProfile
from services.intent.parser import RuleIntentParser

TODAY: Final = date(2023, 12, 31)
PROFILE: Final = """
company = { name = "Peers", default_entity = "AAPL" }
competitors = {}
[entities]
AAPL = { label = "Apple" }
AMZN = { label = "Amazon" }
INTC = { label = "Intel" }
MSFT = { label = "Microsoft" }
NVDA = { label = "NVIDIA" }
[metrics]
REVENUE = { unit = "USD_M", synonyms = ["revenue", "net sales"] }
"""


@cache
def profile() -> CompanyProfile:
    """The companies whose reports these are."""
    return CompanyProfile.model_validate(tomllib.loads(PROFILE))


def passages(data: Path) -> list[PassageRow]:
    """A passage for each page, under its company and quarter."""
    rows = map(json.loads, _lines(data / "retrieval_en_10q_passages.jsonl"))
    return [_passage(row) for row in rows]


def _passage(row: dict[str, Any]) -> PassageRow:
    year, quarter, _ = row["doc"].split(" ", 2)
    return PassageRow(
        doc_id=row["doc"],
        locator=f"page {row['page']}",
        text=row["text"][:20_000],
        entity=row["entity"],
        period=f"{year}{quarter}",
    )


def questions(data: Path, make: Callable[[str, frozenset[str], dict[str, Any]], Any]) -> list[Any]:
    """The questions, with the filters that the intent parser finds in them."""
    parser = RuleIntentParser(profile())
    rows = [json.loads(line) for line in _lines(data / "retrieval_en_10q_queries.jsonl")]
    intents = [parser.parse(row["question"], reference_date=TODAY) for row in rows]
    return [
        make(row["question"], frozenset(row["relevant_docs"]), filters(intent))
        for row, intent in zip(rows, intents, strict=True)
    ]


def filters(intent: ParsedIntent) -> dict[str, Any]:
    """The scope of a search, as the orchestrator asks for it."""
    latest = intent.latest.type if intent.latest and not intent.periods else None
    return {"entities": intent.entities, "periods": intent.periods, "latest": latest}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
