"""Reads a profile file. A missing or wrong profile stops the start; every fault is told with line and key."""

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from domain.profile.checks import Problem
from domain.profile.lines import KeyPath, dotted, key_lines, line_of
from domain.profile.model import AMBIGUOUS, CompanyProfile

_UNKNOWN_KEY: Final = "extra_forbidden"


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
        problems = [problem for detail in error.errors() for problem in _problems_of(detail)]
        raise ProfileError(_report(path, problems, _lines(source))) from None


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


def _problems_of(detail: ErrorDetails) -> Sequence[Problem]:
    if detail["type"] == AMBIGUOUS:
        return cast(Sequence[Problem], detail.get("ctx", {})["problems"])
    reason = "unknown key" if detail["type"] == _UNKNOWN_KEY else detail["msg"].removeprefix("Value error, ")
    return [Problem(detail["loc"], reason[:1].lower() + reason[1:])]


def _report(path: Path, problems: Sequence[Problem], lines: Mapping[KeyPath, int]) -> str:
    """One line per fault, by line of the file: where it is, what is wrong, and what it collides with."""
    places = sorted(((line_of(problem.path, lines) or 0, problem) for problem in problems), key=lambda place: place[0])
    told = [
        f"{f'line {line}, ' if line else ''}{dotted(problem.path)}: {problem.reason}"
        + (f" (line {line_of(problem.other, lines)}, {dotted(problem.other)})" if problem.other else "")
        for line, problem in places
    ]
    return f"{path}: {told[0]}" if len(told) == 1 else "\n  ".join([f"{path}: {len(told)} problems", *told])
