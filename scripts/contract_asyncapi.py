"""The AsyncAPI 3 description of the bus, made from `scripts.contract_operations`.

It is written from our side: we receive requests and reply, and we send events. Nothing here is spelled twice: subjects,
headers, queue groups and message types come from `contracts`.
"""

from typing import Any, Final

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from contracts import subjects
from contracts.codes import HTTP_STATUS
from contracts.v1 import ErrorReply
from scripts.contract_operations import CALLS, EVENTS, QUEUES, Call, Event, Queued, replies, requests

Json = dict[str, Any]

VERSION: Final = "1.0.0"
"""Version of the contracts; the first number is the one in the subjects."""

_REQUEST_HEADERS: Final[Json] = {
    "type": "object",
    "properties": {
        subjects.HEADER_DEADLINE: {
            "type": "string",
            "pattern": "^[0-9]{1,16}$",
            "description": "When the caller stops waiting: milliseconds since the epoch. Default: the gateway's own.",
        },
        subjects.HEADER_TRACE: {
            "type": "string",
            "pattern": "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
            "description": "W3C trace context of the caller.",
        },
    },
}

_ERROR_HEADERS: Final[Json] = {
    "type": "object",
    "required": [subjects.HEADER_ERROR, subjects.HEADER_ERROR_CODE],
    "properties": {
        subjects.HEADER_ERROR: {
            "type": "string",
            "enum": sorted(code.value for code in HTTP_STATUS),
            "description": "The code of the error, as in the body.",
        },
        subjects.HEADER_ERROR_CODE: {
            "type": "string",
            "enum": sorted({str(status) for status in HTTP_STATUS.values()}),
            "description": "Its number, the HTTP status of the same error.",
        },
    },
}


def _ref(*path: str) -> Json:
    return {"$ref": "#/" + "/".join(path)}


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")


def _message(model: type[BaseModel], payload: Json, headers: Json | None) -> Json:
    body: Json = {
        "name": model.__name__,
        "title": model.__name__,
        "summary": _summary(model),
        "contentType": "application/json",
        "payload": payload,
    }
    return body if headers is None else {**body, "headers": headers}


def _without_discriminators(node: JsonValue) -> JsonValue:
    """Leave out OpenAPI's `discriminator` objects: AsyncAPI knows strings only, and the `const` of each arm says it."""
    if isinstance(node, list):
        return [_without_discriminators(item) for item in node]
    if isinstance(node, dict):
        kept = {k: v for k, v in node.items() if k != "discriminator" or not isinstance(v, dict)}
        return {k: _without_discriminators(v) for k, v in kept.items()}
    return node


def _components() -> Json:
    received: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in requests()]
    sent: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in replies()]
    models = received + sent
    refs, definitions = models_json_schema(models, ref_template="#/components/schemas/{model}")
    messages: Json = {}
    for model, mode in models:
        headers = _REQUEST_HEADERS if mode == "validation" else _ERROR_HEADERS if model is ErrorReply else None
        messages[model.__name__] = _message(model, refs[model, mode], headers)
    return {"messages": messages, "schemas": _without_discriminators(definitions["$defs"])}


_PARAMETERS: Final[Json] = {
    "app": {
        "description": "Who asks. A secured broker lets every app publish under its own name only.",
        "default": subjects.LOCAL_APP,
    },
    "ask_id": {"description": "The name of the ask within its app: 1 to 64 of A-Z, a-z, 0-9, - and _."},
}


def _parameters(address: str) -> Json:
    used = {name: body for name, body in _PARAMETERS.items() if f"{{{name}}}" in address}
    return {"parameters": used} if used else {}


def _address(subject: str) -> str:
    for name in _PARAMETERS:  # the first wildcard is the app, the second the ask
        subject = subject.replace("*", f"{{{name}}}", 1)
    return subject


def _call_channels(call: Call) -> Json:
    request = call.request.__name__
    reply_messages = {
        model.__name__: _ref("components", "messages", model.__name__) for model in (call.reply, ErrorReply)
    }
    return {
        call.name: {
            "address": _address(call.subject),
            "messages": {request: _ref("components", "messages", request)},
            **_parameters(_address(call.subject)),
            "bindings": {"nats": {"queue": call.queue, "bindingVersion": "0.1.0"}},
        },
        f"{call.name}Reply": {"address": None, "messages": reply_messages},
    }


def _call_operation(call: Call) -> Json:
    channel, reply = f"{call.name}", f"{call.name}Reply"
    return {
        "action": "receive",
        "summary": f"Served by {call.service}.",
        "channel": _ref("channels", channel),
        "messages": [_ref("channels", channel, "messages", call.request.__name__)],
        "reply": {
            "address": {"location": "$message.header#/reply", "description": "The reply subject of the NATS message."},
            "channel": _ref("channels", reply),
            "messages": [_ref("channels", reply, "messages", model.__name__) for model in (call.reply, ErrorReply)],
        },
    }


def _event_channel(event: Event) -> Json:
    name = event.message.__name__
    return {
        "address": event.subject,
        "description": f"JetStream stream {subjects.EVENT_STREAM}.",
        "messages": {name: _ref("components", "messages", name)},
    }


def _event_operation(event: Event) -> Json:
    return {
        "action": "send",
        "summary": f"Sent by {event.service}.",
        "channel": _ref("channels", event.name),
        "messages": [_ref("channels", event.name, "messages", event.message.__name__)],
    }


def _queue_channels(queue: Queued) -> Json:
    sides = (
        (queue.name, queue.subject, queue.stream, queue.message),
        (queue.answer_name, queue.answer_subject, queue.answer_stream, queue.answer),
    )
    return {
        name: {
            "address": _address(subject),
            "description": f"JetStream stream {stream}, one message per subject.",
            "messages": {message.__name__: _ref("components", "messages", message.__name__)},
            **_parameters(_address(subject)),
        }
        for name, subject, stream, message in sides
    }


def _queue_operations(queue: Queued) -> Json:
    def operation(action: str, summary: str, name: str, message: type[BaseModel]) -> Json:
        messages = [_ref("channels", name, "messages", message.__name__)]
        return {"action": action, "summary": summary, "channel": _ref("channels", name), "messages": messages}

    taken = f"Taken by {queue.service}; the acknowledgement of the stream is the acceptance."
    return {
        queue.name: operation("receive", taken, queue.name, queue.message),
        queue.answer_name: operation("send", f"Sent by {queue.service}, once.", queue.answer_name, queue.answer),
    }


def asyncapi_document() -> Json:
    """The whole document."""
    channels: Json = {}
    for call in CALLS:
        channels |= _call_channels(call)
    channels |= {event.name: _event_channel(event) for event in EVENTS}
    for queue in QUEUES:
        channels |= _queue_channels(queue)
    operations = {call.name: _call_operation(call) for call in CALLS}
    operations |= {event.name: _event_operation(event) for event in EVENTS}
    for queue in QUEUES:
        operations |= _queue_operations(queue)
    return {
        "asyncapi": "3.1.0",
        "info": {
            "title": "RAGSpine on NATS",
            "version": VERSION,
            "description": "Apps publish to `ask`; everything else is spoken between the workers.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": _components(),
    }
