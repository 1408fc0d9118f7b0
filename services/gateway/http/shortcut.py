"""The way to a route without the framework's layers around it, which cost as much as everything else the gateway does.

Our routes read their request and make their reply themselves, so nothing in those layers is used. FastAPI keeps what it
is here for: the OpenAPI document, and the replies to what is no route (404, 405).
"""

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from runtime.errors import AskError
from services.gateway.http.errors import answer_error
from services.gateway.http.openapi import BareRoute


class Shortcut:
    """Finds a route by its method and whole path; hands everything else to the app."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._routes = {
            (method, route.path): route
            for route in app.routes
            if isinstance(route, BareRoute) and not route.param_convertors
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = self._route_of(scope)
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = route
        request = Request(scope, receive)
        try:
            response = await route.serve(request)
        except (AskError, HTTPException, ClientDisconnect) as error:
            response = await answer_error(request, error)
        except Exception as error:
            await (await answer_error(request, error))(scope, receive, send)
            raise  # for the server's log
        await response(scope, receive, send)

    def _route_of(self, scope: Scope) -> BareRoute | None:
        return self._routes.get((scope["method"], scope["path"]))
