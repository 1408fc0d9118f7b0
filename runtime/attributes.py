"""The only names that spans and log lines may carry: codes, counts, timings and booleans.

A question, an answer, a value, a source text or a key has no name here, so it cannot leave by telemetry. Text values
must also look like codes. Adding a name is a decision of its own: it says that what it names may be seen by operators.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

Value = str | int | float | bool

SPAN_ATTRIBUTES: Final = frozenset(
    {
        # transport
        "messaging.system",
        "messaging.destination.name",
        "http.request.method",
        "http.route",
        "http.response.status_code",
        # what a request came to
        "ragspine.outcome",
        "ragspine.route",
        "ragspine.answer_kind",
        "ragspine.clarify_mode",
        "ragspine.locale",
        "ragspine.request_id",
        "ragspine.profile_digest",
        # counts and flags of the structured path
        "ragspine.asked",
        "ragspine.found",
        "ragspine.not_found",
        "ragspine.unrecognized",
        "ragspine.conflicting",
        "ragspine.residues",
        "ragspine.external_entities",
        "ragspine.guard.triggered",
        "ragspine.guard.reasons",
        "ragspine.rows",
        "ragspine.passages",
        "ragspine.faq.hit",
        "ragspine.faq.miss_reason",
        "ragspine.decomposed",
        "ragspine.turns",
        "ragspine.tool_calls",
        # model calls, by the GenAI semantic conventions, without content
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.response.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "error.type",
    }
)
"""Names a span attribute may have."""

LOG_FIELDS: Final = frozenset(
    {
        "attempt",
        "attempts",
        "changed",
        "check",
        "code",
        "count",
        "error",
        "fields",
        "host",
        "instance",
        "kind",
        "limit",
        "name",
        "outcome",
        "pending",
        "port",
        "profile_digest",
        "reason",
        "request_id",
        "route",
        "rows",
        "running",
        "seconds",
        "service",
        "signal",
        "status",
        "subject",
        "where",
    }
)
"""Names a field of a log line may have, beside time, level, event, logger, trace and span."""

_CODE: Final = re.compile(r"[A-Za-z0-9_.:/*>@+ -]{0,200}")


class NotAllowedError(Exception):
    """Something that is not on the allow-list was about to be logged or traced."""


def is_code_like(value: object) -> bool:
    """Whether a value may be shown: a number, a flag, a short ASCII code, or a sequence of those."""
    if isinstance(value, str):
        return _CODE.fullmatch(value) is not None
    if isinstance(value, list | tuple):
        return all(is_code_like(item) for item in cast("Sequence[object]", value))
    return value is None or isinstance(value, bool | int | float)


def forbidden(values: Mapping[str, object], allowed: frozenset[str]) -> frozenset[str]:
    """The names in `values` that may not be shown, because of the name or of the value."""
    return frozenset(name for name, value in values.items() if name not in allowed or not is_code_like(value))
