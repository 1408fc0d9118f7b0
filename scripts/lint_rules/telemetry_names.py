"""Rule `telemetry-name`: what is logged or traced has an allow-listed name, and is written where it can be checked.

Why: a question, an answer or a value must never leave by a log line or a span. At run time a refused name is only left
out, so the loss would be noticed by nobody; and a name that is computed cannot be reviewed.
What: outside `runtime/`, the standard `logging` module is not used, a log event is a literal, every field of a log call
and of `set_attributes` is a keyword on the lists of `runtime.attributes`, and spans are not written to directly.
Escape: `# allow-telemetry-name: reason`.
"""

import ast
from collections.abc import Container, Iterator
from pathlib import PurePosixPath
from typing import Final

from runtime.attributes import LOG_FIELDS, SPAN_ATTRIBUTES
from scripts.lint_rules.runner import Problem

NAME: Final = "telemetry-name"

_LEVELS: Final = {"debug", "info", "warning", "error"}
_LOGS: Final = {"log", "_log", "LOG", "_LOG", "logger", "_logger"}
_SPAN_WRITERS: Final = {"set_attribute", "add_event", "record_exception", "set_status"}
_SPREAD_OF: Final = {"describe"}  # runtime.logging.describe: its fields are fixed


def applies_to(path: PurePosixPath) -> bool:
    """The workers and the libraries. `runtime` is where the checks live, `cli` and the client for apps are theirs."""
    return path.parts[0] in {"services", "domain", "contracts"} and not path.is_relative_to("contracts/client")


def check(tree: ast.Module) -> Iterator[Problem]:
    """Every name that nobody allowed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _method(node, node.func)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "set_attributes":
            yield from _fields(node, _span_names())


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[Problem]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    if any(name.split(".")[0] == "logging" for name in names):
        yield node.lineno, "use runtime.logging.get_log, which knows what may be logged"


def _method(call: ast.Call, function: ast.Attribute) -> Iterator[Problem]:
    if function.attr in _LEVELS and _last_name(function.value) in _LOGS:
        if not (len(call.args) == 1 and isinstance(call.args[0], ast.Constant)):
            yield call.lineno, "a log event is one literal code; everything else is a named field"
        yield from _fields(call, LOG_FIELDS)
    elif function.attr == "set_attributes":
        yield from _fields(call, _span_names())
        yield from _attributes(call)
    elif function.attr in _SPAN_WRITERS:
        yield call.lineno, f"write spans through runtime.telemetry, not by {function.attr}"


def _fields(call: ast.Call, allowed: Container[str]) -> Iterator[Problem]:
    for keyword in call.keywords:
        if keyword.arg is None:
            if not _is_safe_spread(keyword.value):
                yield call.lineno, "spell the fields out: a spread cannot be checked"
        elif keyword.arg not in allowed:
            yield call.lineno, f"{keyword.arg!r} is not on the allow-list of runtime.attributes"


def _attributes(call: ast.Call) -> Iterator[Problem]:
    """OpenTelemetry's own `set_attributes` takes a mapping: it must be spelled out, with full names."""
    for argument in call.args:
        keys = argument.keys if isinstance(argument, ast.Dict) else [None]
        names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
        if not all(name in SPAN_ATTRIBUTES for name in names):
            yield call.lineno, "every attribute is spelled out, and on the allow-list of runtime.attributes"


def _is_safe_spread(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _last_name(value.func) in _SPREAD_OF


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _span_names() -> frozenset[str]:
    return frozenset(name.removeprefix("ragspine.") for name in SPAN_ATTRIBUTES if name.startswith("ragspine."))
