"""Turns the profile object of a case into a profile file, and names stacks by profile."""

import hashlib
import json
from pathlib import Path
from typing import Any

import tomlkit

SAMPLE = Path(__file__).parents[2] / "deploy" / "sample" / "profile.toml"
DEFAULT = "default"


def profile_key(case: dict[str, Any]) -> str:
    """Cases with the same key share a stack. HTTP cases name no profile and mean the sample."""
    profile = case.get("profile", DEFAULT)
    if profile == DEFAULT:
        return DEFAULT
    text = json.dumps(profile, sort_keys=True, ensure_ascii=False)
    return f"{profile['default_entity']}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def write_profile(case: dict[str, Any], folder: Path) -> Path:
    """The profile file of a case's stack."""
    profile = case.get("profile", DEFAULT)
    if profile == DEFAULT:
        return SAMPLE
    path = folder / f"{profile_key(case)}.toml"
    path.write_text(tomlkit.dumps(as_toml(profile)), encoding="utf-8")
    return path


def as_toml(profile: dict[str, Any]) -> dict[str, Any]:
    """The tables of a profile file."""
    company = {"name": profile["company_name"], "default_entity": profile["default_entity"]}
    competitors: dict[str, list[str]] = {}
    for alias, name in profile.get("external", {}).items():
        competitors.setdefault(name, []).append(alias)
    return {
        "company": company,
        "entities": profile["entities"],
        "metrics": profile["metrics"],
        "channels": {code: {"synonyms": synonyms} for code, synonyms in profile.get("channels", {}).items()},
        "competitors": competitors,
    }
