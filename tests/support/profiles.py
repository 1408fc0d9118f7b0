"""Company profiles for tests: the fictional ACME of the sample, and builders from small descriptions."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from domain.profile import CompanyProfile, load_profile

REFERENCE_DATE = date(2025, 5, 20)
"""What counts as today in most tests and cases."""

SAMPLE_PATH = Path(__file__).parents[2] / "deploy" / "sample" / "profile.toml"


@cache
def acme() -> CompanyProfile:
    """The sample profile."""
    return load_profile(SAMPLE_PATH)


def profile_from_case(description: str | Mapping[str, Any]) -> CompanyProfile:
    """The profile of a black-box case: "default", or an object with company_name, entities, metrics and the rest.

    `external` maps an alias of a competitor to its display name; `channels` maps a code to its aliases.
    """
    return acme() if isinstance(description, str) else CompanyProfile.model_validate(profile_tables(description))


def profile_tables(description: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a TOML profile that says what a case's profile object says."""
    competitors: dict[str, list[str]] = {}
    for alias, display in description.get("external", {}).items():
        competitors.setdefault(display, []).append(alias)
    return {
        "company": {"name": description["company_name"], "default_entity": description["default_entity"]},
        "entities": dict(description["entities"]),
        "metrics": dict(description["metrics"]),
        "channels": {code: {"synonyms": list(aliases)} for code, aliases in description.get("channels", {}).items()},
        "competitors": competitors,
    }
