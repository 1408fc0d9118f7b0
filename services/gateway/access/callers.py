"""Who stands behind an HTTP request: found once at the edge, then read by every route that keeps apps apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from contracts.codes import Scope
from contracts.subjects import LOCAL_APP
from services.gateway.access.key_file import KeyRate


@dataclass(frozen=True, slots=True)
class Caller:
    """An app, and what it may do here."""

    app: str
    """Whose asks and answers it reaches: never what a body or a header of its choice says."""
    scopes: frozenset[Scope]
    key_id: str | None = None
    """The public part of its key; None where no keys are needed."""
    rate: KeyRate | None = None
    """How often it may ask; None: as often as the gateway can."""

    def may(self, scope: Scope) -> bool:
        """Whether it holds a scope; `admin` holds all."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


NOBODY: Final = Caller("nobody", frozenset())
"""Who calls what needs no key, where keys are needed."""
LOCAL_CALLER: Final = Caller(LOCAL_APP, frozenset(Scope))
"""Everybody, as long as no keys are needed: this machine, or a network that somebody else closes."""


def caller_of(request: Request) -> Caller:
    """Who sent a request."""
    caller: Caller = request.state.caller
    return caller


def is_still_known(request: Request) -> Callable[[], bool]:
    """Whether the key that a request came with is in force at the moment of each call."""
    known: Callable[[Caller], bool] = request.state.is_still_known
    caller = caller_of(request)
    return lambda: known(caller)
