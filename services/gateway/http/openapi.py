"""The OpenAPI document: paths as FastAPI collects them, messages exactly as the contracts define them."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from contracts.codes import HTTP_STATUS, ErrorCode
from contracts.subjects import HEADER_DEADLINE
from contracts.v1.ask import REQUEST_ID_PATTERN, AnswerResult, AskRequest
from contracts.v1.asks import AskList, AskStatus, SubmitAsk
from contracts.v1.facts import Catalogue, FactList, FactsLoaded, FactsWithdrawn, LoadFacts
from contracts.v1.faq import (
    FaqAudit,
    FaqDeleted,
    FaqImported,
    FaqItems,
    FaqList,
    FaqSuggestions,
    FaqText,
    FaqVerdict,
    StoredFaqItem,
    TryFaq,
)
from contracts.v1.narrative import LoadPassages, PassagesLoaded, PassagesWithdrawn
from services.gateway.access.demands import Demand, demand_of, guarded
from services.gateway.http import problems
from services.gateway.http.health_routes import Readiness
from services.gateway.http.problems import Problem

_REF: Final = "#/components/schemas/{model}"
_MESSAGES: Final[tuple[tuple[type[BaseModel], JsonSchemaMode], ...]] = (
    (AskRequest, "validation"),
    (SubmitAsk, "validation"),
    (AskStatus, "serialization"),
    (AskList, "serialization"),
    (LoadFacts, "validation"),
    (LoadPassages, "validation"),
    (AnswerResult, "serialization"),
    (FactsLoaded, "serialization"),
    (FactsWithdrawn, "serialization"),
    (PassagesLoaded, "serialization"),
    (PassagesWithdrawn, "serialization"),
    (FactList, "serialization"),
    (Catalogue, "serialization"),
    (FaqText, "validation"),
    (FaqItems, "validation"),
    (TryFaq, "validation"),
    (StoredFaqItem, "serialization"),
    (FaqList, "serialization"),
    (FaqImported, "serialization"),
    (FaqDeleted, "serialization"),
    (FaqAudit, "serialization"),
    (FaqVerdict, "serialization"),
    (FaqSuggestions, "serialization"),
    (Readiness, "serialization"),
    (Problem, "serialization"),
)
_KEY: Final = "key"
_KEY_SCHEME: Final = {
    _KEY: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "rsk_id.secret",
        "description": "An API key, made with `ragspine keys add`. A call names the scope that its key must have; "
        "`admin` has all. Without any key in the keys file, none is needed.",
    }
}
_ALWAYS: Final = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNAUTHENTICATED,
    ErrorCode.FORBIDDEN,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.OVERLOADED,
    ErrorCode.RATE_LIMITED,
    ErrorCode.UNAVAILABLE,
    ErrorCode.DEADLINE_EXCEEDED,
    ErrorCode.INTERNAL,
)
_HEADERS: Final[list[dict[str, Any]]] = [
    {
        "name": "X-Request-Id",
        "in": "header",
        "description": "Comes back in the reply and stands in our logs; made up where it is missing or not of the form "
        f"{REQUEST_ID_PATTERN}",
        "schema": {"type": "string"},
    },
    {
        "name": HEADER_DEADLINE,
        "in": "header",
        "description": "When the caller stops waiting: milliseconds since the epoch. Cut to the longest time allowed.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,16}$"},
    },
]


class BareRoute(APIRoute):
    """A route whose function reads its request and makes its reply itself: validated once, serialised once."""

    serve: Callable[[Request], Coroutine[Any, Any, Response]]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function behind the check of what it needs, without FastAPI's parsing around it."""
        self.serve = guarded(self.endpoint)
        return self.serve

    @property
    def demand(self) -> Demand:
        """What a caller needs."""
        return demand_of(self.endpoint)


def replies_of(
    reply: type[BaseModel], when: str, *more: ErrorCode, status: int = 200, media_type: str = "application/json"
) -> dict[int | str, dict[str, Any]]:
    """The documented replies of a call: its message, the errors that every call can meet, and its own."""
    by_status: dict[int, list[ErrorCode]] = {}
    for code in (*_ALWAYS, *more):
        by_status.setdefault(HTTP_STATUS[code], []).append(code)
    return {
        status: {"description": when, "content": _content(reply, media_type)},
        **{
            failure: {"description": _when(codes), "content": _content(Problem, problems.MEDIA_TYPE)}
            for failure, codes in sorted(by_status.items())
        },
    }


def body_of(
    message: type[BaseModel], example: Mapping[str, Any], parameters: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """The documented body of a call, and its parameters beside the headers that every call has."""
    content = {"application/json": {"schema": _reference(message), "example": example}}
    return {"parameters": [*parameters, *_HEADERS], "requestBody": {"required": True, "content": content}}


def query_of(message: type[BaseModel]) -> dict[str, Any]:
    """The documented query parameters of a call: the fields of its message."""
    return {"parameters": [*parameters_of(message), *_HEADERS]}


def parameters_of(message: type[BaseModel], where: str = "query") -> list[dict[str, Any]]:
    """The fields of a message as documented parameters."""
    schema = message.model_json_schema(ref_template=_REF)
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "in": where,
            "required": name in required,
            "description": field.get("description", ""),
            "schema": {key: value for key, value in field.items() if key not in {"title", "description"}},
        }
        for name, field in schema.get("properties", {}).items()
    ]


def demands_of(app: FastAPI) -> dict[tuple[str, str], Demand]:
    """What each call of an app needs, by its method and path: the one table, made from what the routes declare."""
    return {
        (method, route.path): route.demand
        for route in app.routes
        if isinstance(route, BareRoute)
        for method in sorted(route.methods or ())
    }


def document_of(app: FastAPI) -> dict[str, Any]:
    """The whole OpenAPI document of an app whose callers need keys."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for (method, path), demand in demands_of(app).items():
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None:
            operation["security"] = [{_KEY: [demand.scope.value]}] if demand.scope else []
    return {**document, "components": {"schemas": _message_schemas(), "securitySchemes": _KEY_SCHEME}}


def without_keys(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same document where a key may be left out: as the alternative to it OpenAPI takes nothing."""
    paths: dict[str, dict[str, Any]] = document["paths"]
    opened = {
        path: {method: _opened(operation) for method, operation in operations.items()}
        for path, operations in paths.items()
    }
    return {**document, "paths": opened}


def _opened(operation: Mapping[str, Any]) -> dict[str, Any]:
    nothing: dict[str, list[str]] = {}
    ways: list[dict[str, list[str]]] = operation["security"]
    return {**operation, "security": [*ways, nothing] if ways else ways}


@cache
def _message_schemas() -> dict[str, Any]:
    _, definitions = models_json_schema(_MESSAGES, ref_template=_REF)
    schemas: dict[str, Any] = definitions["$defs"]
    return schemas


def _content(message: type[BaseModel], media_type: str = "application/json") -> dict[str, Any]:
    return {media_type: {"schema": _reference(message)}}


def _reference(message: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=message.__name__)}


def _when(codes: list[ErrorCode]) -> str:
    return "; ".join(f"{problems.TITLES[code]} ({code})" for code in codes)
