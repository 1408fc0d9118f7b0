"""Rule `fact-number`: the number of a fact becomes text in `domain.money` only, and is never a float.

Why: a float has already lost the stored digits, and a format specification rounds, groups or writes exponents. One
place does it right; a second one would be a way to invent a number.
What: in the decision library, the orchestrator and the facts worker: no `float(…)` or `round(…)`, no `float` annotation
but for durations (`…seconds`), no numeric format specification but for constants (`{MAX_ROWS:,}`), and no text made
from `….fact.value` or `….difference`.
Left out are the model providers: what passes there never becomes a number of an answer, and they measure time.
Escape: `# allow-fact-number: reason`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from scripts.lint_rules.runner import Problem

NAME: Final = "fact-number"

_FOLDERS: Final = {"clarify", "orchestrator", "facts"}
_NUMERIC_FORMAT: Final = re.compile(r".*[,_eEfFgGn%]$|.*\.\d+$")
_SPREADING_TEXT: Final = {"format", "join"}
_TEXT_MAKERS: Final = {"str", "repr", "format"}


def applies_to(path: PurePosixPath) -> bool:
    """Where numbers of facts pass."""
    match path.parts:
        case ("services", folder, room, *_):
            return folder in _FOLDERS and room != "providers"
        case _:
            return False


def check(tree: ast.Module) -> Iterator[Problem]:
    """Every place where a number could lose or gain a digit."""
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from _call(node)
            case ast.FormattedValue():
                yield from _formatted(node)
            case ast.arg(arg=name, annotation=ast.expr() as annotation):
                yield from _annotation(name, annotation)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield from _annotation(name, annotation)
            case ast.FunctionDef(name=name, returns=ast.expr() as annotation):
                yield from _annotation(name, annotation)
            case _:
                pass


def _call(call: ast.Call) -> Iterator[Problem]:
    match call.func:
        case ast.Name(id="float" | "round" as name):
            yield call.lineno, f"{name}() loses digits; keep the Decimal"
        case ast.Name(id=name) if name in _TEXT_MAKERS and any(map(_is_number_of_a_fact, call.args)):
            yield call.lineno, "use domain.money to show the number of a fact"
        case ast.Attribute(attr=name) if name in _SPREADING_TEXT:
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            if any(map(_is_number_of_a_fact, values)):
                yield call.lineno, "use domain.money to show the number of a fact"
        case _:
            pass


def _formatted(node: ast.FormattedValue) -> Iterator[Problem]:
    if _is_number_of_a_fact(node.value):
        yield node.lineno, "use domain.money to show the number of a fact"
    if _is_constant(node.value):
        return
    for part in ast.walk(node.format_spec) if node.format_spec else ():
        if isinstance(part, ast.Constant) and _NUMERIC_FORMAT.fullmatch(str(part.value)):
            yield node.lineno, f"the format {part.value!r} rounds or decorates a number"


def _annotation(name: str, annotation: ast.expr) -> Iterator[Problem]:
    floats = [node for node in ast.walk(annotation) if isinstance(node, ast.Name) and node.id == "float"]
    if floats and not name.endswith("seconds"):
        yield annotation.lineno, f"{name} is a float; facts are Decimal, and durations end in `seconds`"


def _is_constant(node: ast.expr) -> bool:
    """A limit or the like, by its upper-case name, or a choice between such."""
    match node:
        case ast.Name(id=name):
            return name.isupper()
        case ast.IfExp(body=one, orelse=other):
            return _is_constant(one) and _is_constant(other)
        case _:
            return False


def _is_number_of_a_fact(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="difference"):
            return True
        case ast.Attribute(attr="value", value=ast.Name(id="fact") | ast.Attribute(attr="fact")):
            return True
        case _:
            return False
