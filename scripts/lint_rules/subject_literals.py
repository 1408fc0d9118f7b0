"""Rule `subject-literal`: subjects and header names are spelled in `contracts/subjects.py` and nowhere else.

Why: a subject that is spelled twice is renamed once, and the caller then waits for a worker that never hears it.
What: a string in product code, also inside an f-string, that begins like one of our subjects or is one of our headers.
Docstrings may name them. Escape: `# allow-subject-literal: reason`.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from contracts import subjects
from scripts.lint_rules.runner import Problem

NAME: Final = "subject-literal"

_HOME: Final = PurePosixPath("contracts/subjects.py")
_HEADERS: Final = {value.lower() for name, value in vars(subjects).items() if name.startswith("HEADER_")}
_FAMILY: Final = subjects.PREFIX.split(".")[0] + ".v"


def applies_to(path: PurePosixPath) -> bool:
    """Everywhere but at home."""
    return path != _HOME


def check(tree: ast.Module) -> Iterator[Problem]:
    """Every subject or header name that is spelled out."""
    docstrings = set(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            if node.value.startswith(_FAMILY):
                yield node.lineno, f"take the subject {node.value!r} from contracts.subjects"
            elif node.value.lower() in _HEADERS:
                yield node.lineno, f"take the header {node.value!r} from contracts.subjects"


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that stand alone: docstrings of modules, classes and functions, and of constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
