"""Rule `validation-input`: what failed validation is described without what was given.

Why: pydantic puts the refused input into its error's text and details. A question, a value or a key would leave by a
log line, an error body or a crash report; framework defaults have been seen to log it.
What: `.errors(...)` says `include_input=False`, and a class made straight from `BaseModel` or `BaseSettings` has
`hide_input_in_errors=True` in its `model_config`.
Escape: `# allow-validation-input: reason`.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from scripts.lint_rules.runner import Problem

NAME: Final = "validation-input"

_BASES: Final = {"BaseModel", "BaseSettings"}


def applies_to(path: PurePosixPath) -> bool:
    """What serves requests. A profile is the operator's own file, and its faults are shown to the operator."""
    return path.parts[0] in {"contracts", "runtime", "services"}


def check(tree: ast.Module) -> Iterator[Problem]:
    """Every place that could show an input."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_errors(node) and not _says(node, "include_input", is_true=False):
            yield node.lineno, "say include_input=False: the details of an error hold what was given"
        elif isinstance(node, ast.ClassDef) and _is_bare(node) and not _hides(node):
            yield node.lineno, f"{node.name} needs hide_input_in_errors=True in its model_config"


def _is_errors(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "errors"


def _is_bare(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id in _BASES for base in node.bases)


def _hides(node: ast.ClassDef) -> bool:
    return any(
        isinstance(call, ast.Call) and _says(call, "hide_input_in_errors", is_true=True)
        for statement in node.body
        if isinstance(statement, ast.Assign) and _is_config(statement.targets[0])
        for call in [statement.value]
    )


def _is_config(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "model_config"


def _says(call: ast.Call, name: str, *, is_true: bool) -> bool:
    return any(
        keyword.arg == name and isinstance(keyword.value, ast.Constant) and keyword.value.value is is_true
        for keyword in call.keywords
    )
