"""Runs the rules over files and honours escapes: one without a reason, or without a finding, is a finding itself."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

Problem = tuple[int, str]
"""A line number and what is wrong there."""

_ESCAPE: Final = re.compile(r"#\s*allow-(?P<rule>[a-z-]+)\b:?\s*(?P<reason>.*)$")


class Rule(Protocol):
    """What a rule module offers."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """How reports and escape comments call it."""
        ...

    def applies_to(self, path: PurePosixPath) -> bool:
        """Whether the rule looks at this file; the path is relative to the repository."""
        ...

    def check(self, tree: ast.Module) -> Iterator[Problem]:
        """Every violation in the file."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A violation of one rule."""

    path: PurePosixPath
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def check_text(rule: Rule, path: PurePosixPath, text: str) -> list[Finding]:
    """Findings of one rule in one file."""
    if not rule.applies_to(path):
        return []
    escapes = _escapes(rule.NAME, text)
    findings: list[Finding] = []
    for line, message in rule.check(ast.parse(text)):
        if escapes.pop(line, ""):
            continue
        findings.append(Finding(path, line, rule.NAME, message))
    unused = [Finding(path, line, rule.NAME, "this escape has no reason, or nothing to excuse") for line in escapes]
    return sorted(findings + unused)


def check_tree(rules: Sequence[Rule], root: Path, folders: Sequence[str]) -> list[Finding]:
    """Findings of all rules in all Python files of the folders."""
    findings: list[Finding] = []
    for file in sorted(file for folder in folders for file in (root / folder).rglob("*.py")):
        text, path = file.read_text(encoding="utf-8"), PurePosixPath(file.relative_to(root).as_posix())
        for rule in rules:
            findings += check_text(rule, path, text)
    return findings


def _escapes(rule: str, text: str) -> dict[int, str]:
    """Line → reason of every escape comment for this rule; an empty reason excuses nothing."""
    matches = ((number, _ESCAPE.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {number: match["reason"].strip() for number, match in matches if match and match["rule"] == rule}
