"""Pages for people: the HTTP and bus interfaces, rendered once at start. No script, nothing loaded from elsewhere."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Final

from services.gateway.http.problems import TITLES
from services.gateway.http.schema_text import JsonObject, kind_of, link, schema_section

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; } h3 { margin-bottom: .3rem; } section { margin: 1.5rem 0; }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); }
.method { font-weight: 600; }
"""

CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Lets the pages use their own style and nothing else; sent with every reply."""


def openapi_page(document: JsonObject) -> bytes:
    """The page of the HTTP interface."""
    operations = "".join(_operations(document))
    schemas = _schemas(document)
    body = (
        f"<p>{escape(document['info']['description'])}</p>"
        '<p>For programs: <a href="/openapi.json">/openapi.json</a>. '
        'The bus: <a href="/asyncapi.html">/asyncapi.html</a>.</p>'
        f"<h2>Calls</h2>{operations}<h2>Errors</h2>{_errors()}<h2>Messages</h2>{schemas}"
    )
    return _page(document["info"]["title"], body)


def asyncapi_page(document: JsonObject) -> bytes:
    """The page of the bus interface."""
    operations = "".join(
        _bus_operation(name, operation, document) for name, operation in document["operations"].items()
    )
    body = (
        f"<p>{escape(document['info'].get('description', ''))}</p>"
        '<p>For programs: <a href="/asyncapi">/asyncapi</a>. HTTP: <a href="/docs">/docs</a>.</p>'
        f"<h2>Subjects</h2>{operations}<h2>Messages</h2>{_schemas(document)}"
    )
    return _page(document["info"]["title"], body)


def _page(title: str, body: str) -> bytes:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>"
    ).encode()


def _operations(document: JsonObject) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield (
                f'<section id="{escape(operation["operationId"])}"><h3><span class="method">{method.upper()}</span> '
                f"<code>{escape(path)}</code></h3><p>{escape(operation.get('description') or operation['summary'])}</p>"
                f"{_parameters(operation.get('parameters', ()))}{_request(operation)}{_replies(operation)}</section>"
            )


def _parameters(parameters: Iterable[JsonObject]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(p['name'])}</code> ({escape(p['in'])})</td><td>{kind_of(p['schema'])}</td>"
        f"<td>{'yes' if p.get('required') else ''}</td><td>{escape(p.get('description', ''))}</td></tr>"
        for p in parameters
    )
    return rows and f"<table><tr><th>parameter</th><th>type</th><th>required</th><th>meaning</th></tr>{rows}</table>"


def _request(operation: JsonObject) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return ""
    example = json.dumps(content["example"], ensure_ascii=False, indent=2)
    return f"<p>Body: {kind_of(content['schema'])}, for example</p><pre>{escape(example)}</pre>"


def _replies(operation: JsonObject) -> str:
    rows = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(reply['description'])}</td><td>{_content_kind(reply)}</td></tr>"
        for status, reply in operation["responses"].items()
    )
    return f"<table><tr><th>status</th><th>when</th><th>body</th></tr>{rows}</table>"


def _content_kind(reply: JsonObject) -> str:
    return ", ".join(
        f"{kind_of(content['schema'])} <small>{escape(media)}</small>"
        for media, content in reply.get("content", {}).items()
        if "schema" in content
    )


def _errors() -> str:
    from_code = "".join(
        f'<tr id="{code}"><td><code>{code}</code></td><td>{escape(title)}</td></tr>' for code, title in TITLES.items()
    )
    return f"<table><tr><th>code</th><th>meaning</th></tr>{from_code}</table>"


def _schemas(document: JsonObject) -> str:
    schemas: dict[str, Any] = document["components"]["schemas"]
    return "".join(schema_section(name, schema) for name, schema in sorted(schemas.items()))


def _bus_operation(name: str, operation: JsonObject, document: JsonObject) -> str:
    channel = document["channels"][_last(operation["channel"])]
    reply = operation.get("reply")
    sent = ", ".join(link(_last(message)) for message in operation.get("messages", ()))
    got = ", ".join(link(_last(message)) for message in reply["messages"]) if reply else ""
    answer = f"<p>Reply: {got}</p>" if got else ""
    return (
        f'<section id="{escape(name)}"><h3><code>{escape(channel["address"])}</code></h3>'
        f"<p>{escape(operation.get('summary', ''))}</p><p>Message: {sent}</p>{answer}</section>"
    )


def _last(reference: JsonObject) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[-1]
