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
_ALWAYS: Final = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.FORBIDDEN,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.OVERLOADED,
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

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function as it is, without FastAPI's parsing around it."""
        return self.endpoint


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


def document_of(app: FastAPI) -> dict[str, Any]:
    """The whole OpenAPI document of an app."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    return {**document, "components": {"schemas": _message_schemas()}}


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
