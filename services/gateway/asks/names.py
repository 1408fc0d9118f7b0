"""Names of asks as they stand in subjects."""

import re
from typing import Final

from contracts import subjects
from contracts.v1.asks import APP_PATTERN, ASK_ID_PATTERN
from services.gateway.asks.records import Name

MAX_STORED_CHARS: Final = 255
"""Longer than any name may be; what is longer still cannot be kept."""

_TOKENS: Final = len(subjects.ASKS_ANY.split("."))


def name_of(subject: str) -> Name | None:
    """Whose ask a subject is; None when it is none that can be kept."""
    tokens = subject.split(".")
    if len(tokens) != _TOKENS or subject != subjects.asks(*tokens[-2:]):
        return None
    if max(len(token) for token in tokens) > MAX_STORED_CHARS:
        return None
    return Name(*tokens[-2:])


def fits(name: Name) -> bool:
    """Whether a name is one that the contract allows."""
    return bool(re.fullmatch(APP_PATTERN, name.app) and re.fullmatch(ASK_ID_PATTERN, name.ask_id))
