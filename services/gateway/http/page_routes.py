"""The pages and documents of the interface: OpenAPI, AsyncAPI, both also readable without a script or the internet."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

import contracts
from services.gateway.access.demands import needs
from services.gateway.http.openapi import document_of, without_keys
from services.gateway.http.pages import asyncapi_page, openapi_page

_ASYNCAPI: Final = Path(contracts.__file__).with_name("asyncapi.json")
_HTML: Final = "text/html; charset=utf-8"


def add_pages(app: FastAPI, needs_keys: Callable[[], bool]) -> None:
    """Add the documents of all routes that the app has so far; they are rendered once, here."""
    openapi = document_of(app)
    documents = {True: _compact(openapi), False: _compact(without_keys(openapi))}
    _add(app, "/openapi.json", lambda: documents[needs_keys()], "application/json")
    page = openapi_page(openapi)
    _add(app, "/docs", lambda: page, _HTML)
    asyncapi, asyncapi_html = _asyncapi()
    _add(app, "/asyncapi", lambda: asyncapi, "application/json")
    _add(app, "/asyncapi.html", lambda: asyncapi_html, _HTML)
    app.add_api_route("/", _to_docs, methods=["GET"], include_in_schema=False)


def _add(app: FastAPI, path: str, content: Callable[[], bytes], media_type: str) -> None:
    @needs(None)
    async def page(_: Request) -> Response:
        return Response(content(), media_type=media_type)

    app.add_api_route(path, page, methods=["GET"], include_in_schema=False)


@cache
def _asyncapi() -> tuple[bytes, bytes]:
    document: dict[str, Any] = json.loads(_ASYNCAPI.read_text(encoding="utf-8"))
    return _compact(document), asyncapi_page(document)


@needs(None)
async def _to_docs(_: Request) -> Response:
    return RedirectResponse("/docs")


def _compact(document: dict[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
