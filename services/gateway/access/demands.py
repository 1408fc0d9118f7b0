"""What a call needs of its caller, declared at the function that serves it; a route without a declaration is no route.

`Demand` is what the table of all routes, the OpenAPI document and the check before each call are made from.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import Scope
from runtime.errors import ForbiddenError
from services.gateway.access.callers import Caller
from services.gateway.access.rates import Rates

Serve = Callable[[Request], Awaitable[Response]]
F = TypeVar("F", bound=Callable[..., Awaitable[Response]])

_DEMAND: Final = "__demand__"


@dataclass(frozen=True, slots=True)
class Demand:
    """What a call needs."""

    scope: Scope | None
    """None: everybody may, without a key."""
    is_ask: bool = False
    """Whether it counts against the rate of a key."""


def needs(scope: Scope | None, *, is_ask: bool = False) -> Callable[[F], F]:
    """Declare what the decorated function of a route needs."""

    def declare(serve: F) -> F:
        setattr(serve, _DEMAND, Demand(scope, is_ask))
        return serve

    return declare


def demand_of(serve: Callable[..., Any]) -> Demand:
    """What was declared; raises `TypeError` where nothing was, so that no route is open by forgetting."""
    demand = getattr(serve, _DEMAND, None)
    if not isinstance(demand, Demand):
        raise TypeError(f"{serve.__qualname__} serves a route and does not say which scope it needs")
    return demand


def guarded(serve: Serve) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """The function of a route behind the check of what it needs."""
    demand = demand_of(serve)

    async def check_and_serve(request: Request) -> Response:
        caller: Caller = request.state.caller
        if demand.scope is not None and not caller.may(demand.scope):
            raise ForbiddenError(f"This call needs a key with the scope {demand.scope}.")
        if demand.is_ask and caller.rate is not None:
            rates: Rates = request.state.rates
            await rates.take(caller)
        return await serve(request)

    return check_and_serve
