"""Reads a profile file. A missing or wrong profile stops the start; every fault is told with line and key."""

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contracts.reasons import reason_of
from domain.profile.checks import Problem
from domain.profile.lines import KeyPath, dotted, key_lines, line_of
from domain.profile.mending import mended
from domain.profile.model import AMBIGUOUS, CompanyProfile

_OWN_REASONS: Final = {
    "extra_forbidden": "unknown key",
    "dict_type": "must be a table",
    "model_type": "must be a table",
}
_LABEL: Final = "must be a text, or a table with one text for each of zh, en, it"
_MENDING_ROUNDS: Final = 4
"""A refused value is taken away, then a needed one stands in for it, on at most two levels."""


class ProfileFile(StrEnum):
    """How a file compares with the profile in force, which was read from it earlier."""

    SAME = "same"
    CHANGED = "changed"
    UNREADABLE = "unreadable"  # gone, or faulty by now


class ProfileError(Exception):
    """The profile cannot be used; the message names the file, and line, key and reason of every fault."""


def load_profile(path: Path) -> CompanyProfile:
    """Read and check a TOML profile.

    Raises `ProfileError` naming the file, and the line and key of every fault.
    """
    try:
        source = path.read_text(encoding="utf-8")
        data = tomllib.loads(source)
    except OSError as error:
        raise ProfileError(f"{path}: cannot be read: {error.strerror}") from error
    except RecursionError:
        raise ProfileError(f"{path}: brackets are nested too deeply") from None
    except ValueError as error:  # not TOML, not UTF-8, or an integer of thousands of digits
        raise ProfileError(f"{path}: not valid TOML: {error}") from error
    try:
        return CompanyProfile.model_validate(data)
    except ValidationError as error:
        raise ProfileError(_report(path, _all_problems(data, error), _lines(source))) from None


def compare_file(path: Path, digest: str) -> ProfileFile:
    """Whether a file still says what the profile with this digest says."""
    try:
        found = load_profile(path).digest()
    except ProfileError:
        return ProfileFile.UNREADABLE
    return ProfileFile.SAME if found == digest else ProfileFile.CHANGED


def _lines(source: str) -> Mapping[KeyPath, int]:
    """Where the keys stand; nothing for brackets that `tomllib` could just follow and the search for lines cannot."""
    try:
        return key_lines(source)
    except RecursionError:
        return {}


def _all_problems(data: Mapping[str, object], error: ValidationError) -> Sequence[Problem]:
    """What is wrong with the shape, and what is then still wrong with names and codes."""
    found = list(dict.fromkeys(problem for detail in error.errors() for problem in _problems_of(detail)))
    rest, details = data, error.errors()
    for _ in range(_MENDING_ROUNDS):
        looked_past = None if any(detail["type"] == AMBIGUOUS for detail in details) else mended(rest, details)
        if looked_past is None:
            break
        try:
            CompanyProfile.model_validate(looked_past)
        except ValidationError as further:
            rest, details = looked_past, further.errors()
            found += [p for d in details if d["type"] == AMBIGUOUS for p in _problems_of(d) if p not in found]
        else:
            break
    return found


def _problems_of(detail: ErrorDetails) -> Sequence[Problem]:
    if detail["type"] == AMBIGUOUS:
        return cast(Sequence[Problem], detail.get("ctx", {})["problems"])
    path = detail["loc"]
    if "label" in path[2:] and (path[-1] in ("label", "default") or detail["type"] == "missing"):
        return [Problem(path[: path.index("label", 2) + 1], _LABEL)]
    return [Problem(path, _OWN_REASONS.get(detail["type"]) or reason_of(detail))]


def _report(path: Path, problems: Sequence[Problem], lines: Mapping[KeyPath, int]) -> str:
    """One line per fault, by line of the file: where it is, what is wrong, and what it collides with."""
    places = sorted(((line_of(problem.path, lines) or 0, problem) for problem in problems), key=lambda place: place[0])
    told = [
        f"{f'line {line}, ' if line else ''}{dotted(problem.path)}: {problem.reason}"
        + (f" (line {line_of(problem.other, lines)}, {dotted(problem.other)})" if problem.other else "")
        for line, problem in places
    ]
    return f"{path}: {told[0]}" if len(told) == 1 else "\n  ".join([f"{path}: {len(told)} problems", *told])
