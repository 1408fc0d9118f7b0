"""The only names that spans and log lines may carry, each with the shape of its values: codes, counts, timings, flags.

A question, an answer, a value, a source text or a key has no name here, so it cannot leave by telemetry; and no shape
but that of a request id lets a text of somebody else through. Adding a name is a decision of its own: it says that what
it names may be seen by operators.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

Value = str | int | float | bool | Sequence[str]

Shape = Callable[[object], bool]
"""Whether a value may stand under a name."""


def _text(pattern: str) -> Shape:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _list_of(shape: Shape) -> Shape:
    def check(value: object) -> bool:
        return isinstance(value, list | tuple) and all(shape(item) for item in cast("Sequence[object]", value))

    return check


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _nothing(value: object) -> bool:
    return value is None


def _any(*shapes: Shape) -> Shape:
    return lambda value: any(shape(value) for shape in shapes)


_CODE: Final = _text(r"[a-z][a-z0-9_]{0,63}")  # a code of ours: begins with a letter, so it is no number
_NAME: Final = _text(
    r"[A-Za-z0-9_.:/*>@+{}-]{0,200}"
)  # of a subject, a route, a file, a model: no blank, so no sentence
_TYPE: Final = _text(r"[A-Za-z0-9_.]{1,100}")  # of an error: an exception's name, a code, an HTTP status
_METHOD: Final = _text(r"[A-Z_]{1,20}")
_DIGEST: Final = _text(r"[0-9a-f]{1,64}")
_STATE: Final = _text(r"[0-9A-Z]{5}")  # an SQLSTATE
_REQUEST_ID: Final = _text(r"[A-Za-z0-9._-]{1,64}")  # as contracts.v1.ask has it: what a caller may choose
_SPAN_NAME: Final = _text(r"[A-Za-z0-9_.:/*>@+{}-]{1,100}( [A-Za-z0-9_.:/*>@+{}-]{1,100})?")

SPAN_ATTRIBUTES: Final[Mapping[str, Shape]] = {
    # transport
    "messaging.system": _CODE,
    "messaging.destination.name": _NAME,
    "http.request.method": _METHOD,
    "http.route": _NAME,
    "http.response.status_code": _count,
    # what a request came to
    "ragspine.outcome": _CODE,
    "ragspine.route": _CODE,
    "ragspine.answer_kind": _CODE,
    "ragspine.clarify_mode": _CODE,
    "ragspine.locale": _CODE,
    "ragspine.request_id": _REQUEST_ID,
    "ragspine.profile_digest": _DIGEST,
    # counts and flags of the structured path
    "ragspine.asked": _count,
    "ragspine.found": _count,
    "ragspine.not_found": _count,
    "ragspine.unrecognized": _count,
    "ragspine.conflicting": _count,
    "ragspine.residues": _count,
    "ragspine.external_entities": _count,
    "ragspine.guard.fabrication_guard_triggered": _flag,
    "ragspine.guard.reasons": _list_of(_text(r"[a-z][a-z_]{0,40}:[0-9]{1,9}")),  # `reason:times`
    "ragspine.rows": _count,
    "ragspine.passages": _count,
    "ragspine.ranked_by": _CODE,
    "ragspine.embeddings": _CODE,
    "ragspine.faq.hit": _flag,
    "ragspine.faq.miss_reason": _CODE,
    "ragspine.faq.item": _REQUEST_ID,  # its form is that of an id, too
    "ragspine.faq.version": _count,
    "ragspine.decomposed": _flag,
    "ragspine.turns": _count,
    "ragspine.tool_calls": _count,
    # model calls, by the GenAI semantic conventions, without content
    "gen_ai.operation.name": _CODE,
    "gen_ai.provider.name": _CODE,
    "gen_ai.request.model": _NAME,
    "gen_ai.response.model": _NAME,
    "gen_ai.response.finish_reasons": _list_of(_CODE),
    "gen_ai.usage.input_tokens": _count,
    "gen_ai.usage.output_tokens": _count,
    "error.type": _TYPE,
}
"""Names a span attribute may have, and what its value must look like."""

LOG_FIELDS: Final[Mapping[str, Shape]] = {
    "attempt": _count,
    "attempts": _count,
    "changed": _count,
    "check": _CODE,
    "code": _any(_count, _CODE, _STATE, _nothing),
    "count": _count,
    "error": _TYPE,
    "fields": _count,
    "host": _NAME,
    "instance": _NAME,
    "kind": _TYPE,
    "limit": _number,
    "locale": _CODE,
    "name": _NAME,
    "outcome": _CODE,
    "pending": _count,
    "port": _count,
    "profile_digest": _DIGEST,
    "reason": _CODE,
    "request_id": _REQUEST_ID,
    "route": _NAME,
    "rows": _count,
    "running": _count,
    "seconds": _number,
    "service": _CODE,
    "signal": _METHOD,
    "status": _count,
    "subject": _NAME,
    "where": _NAME,
}
"""Names a field of a log line may have, beside time, level, event, logger, trace and span; and its value's shape."""

UNNAMED: Final = "unnamed"


class NotAllowedError(Exception):
    """Something that is not on the allow-list was about to be logged or traced."""


def forbidden(values: Mapping[str, object], allowed: Mapping[str, Shape]) -> frozenset[str]:
    """The names in `values` that may not be shown, because of the name or of the value."""
    return frozenset(name for name, value in values.items() if name not in allowed or not allowed[name](value))


def shown_name(name: str) -> str:
    """The name of a span as it may be shown: whole, or its first word, or `unnamed`."""
    if _SPAN_NAME(name):
        return name
    first = name.partition(" ")[0]
    return first if _SPAN_NAME(first) else UNNAMED
