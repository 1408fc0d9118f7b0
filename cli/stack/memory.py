"""What a data directory remembers between starts: the company profile from which it was last served.

So the facts of one company are never served by the words of another only because an option was left out.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.profile import CompanyProfile

MEMORY_FILE: Final = "settings.json"
SHOWN_CODES: Final = 8


class Memory(BaseModel):
    """The profile of the last start that became ready."""

    model_config = ConfigDict(frozen=True)

    profile: str
    profile_digest: str
    codes: Mapping[str, Mapping[str, str]]
    """By table of the profile: every code, for metrics with its unit."""

    @classmethod
    def of(cls, path: Path, company: CompanyProfile) -> Self:
        """What is worth remembering of a profile."""
        codes = {
            "metrics": {code: metric.unit for code, metric in company.metrics.items()},
            "entities": dict.fromkeys(company.entities, ""),
            "channels": dict.fromkeys(company.channels, ""),
        }
        return cls(profile=str(path), profile_digest=company.digest(), codes=codes)


def recall(data_dir: Path) -> Memory | None:
    """What the directory remembers; None when it has never been served."""
    try:
        return Memory.model_validate_json((data_dir / MEMORY_FILE).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None


def remember(data_dir: Path, memory: Memory) -> None:
    """Keep it, in one step; raises `OSError`."""
    target = data_dir / MEMORY_FILE
    fresh = target.with_suffix(".json.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(memory.model_dump_json(indent=2) + "\n")
    fresh.replace(target)


def changes(before: Memory, now: Memory) -> Iterator[str]:
    """What another profile, or an edited one, means for questions; nothing when it is the same."""
    if before.profile_digest == now.profile_digest:
        if before.profile != now.profile:
            yield f"the profile is another file that says the same: {before.profile} → {now.profile}"
        return
    if before.profile == now.profile:
        yield f"the profile {now.profile} has changed: digest {before.profile_digest} → {now.profile_digest}"
    else:
        yield f"another profile: {before.profile} ({before.profile_digest}) → {now.profile} ({now.profile_digest})"
    for table, codes in now.codes.items():
        earlier = before.codes.get(table, {})
        for word, found in (("no longer asked for", earlier.keys() - codes), ("new", codes.keys() - earlier)):
            if found:
                yield f"  {table} {word}: {_listed(sorted(found))}"
        units = [f"{code} {earlier[code]} → {unit}" for code, unit in codes.items() if earlier.get(code, unit) != unit]
        if units:
            yield f"  {table} with another unit: {_listed(units)}"


def _listed(names: list[str]) -> str:
    rest = len(names) - SHOWN_CODES
    return ", ".join(names[:SHOWN_CODES]) + (f" and {rest} more" if rest > 0 else "")
