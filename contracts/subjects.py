"""Every NATS subject, queue group and header name, once. Nothing else may spell them out."""

from typing import Final

PREFIX: Final = "ragspine.v1"

# Request/reply for apps. The broker enforces the last token; `local` is the app of an unsecured stack.
ASK_ANY_APP: Final = f"{PREFIX}.ask.*"
LOCAL_APP: Final = "local"

# Durable asks: one message per subject, which is the identity of the ask. The broker enforces the app's token; the
# gateway takes them from the queue and publishes one final word for each.
ASKS_ANY: Final = f"{PREFIX}.asks.*.*"
ASK_STREAM: Final = "RAGSPINE_ASKS"
ASK_CONSUMER: Final = "gateway"
ANSWERS_ANY: Final = f"{PREFIX}.answers.*.*"
ANSWER_STREAM: Final = "RAGSPINE_ANSWERS"

# Request/reply between workers.
INTENT_PARSE: Final = f"{PREFIX}.intent.parse"
FACTS_QUERY: Final = f"{PREFIX}.facts.query"
FACTS_NEWEST: Final = f"{PREFIX}.facts.newest"
FACTS_LOAD: Final = f"{PREFIX}.facts.load"
FACTS_WITHDRAW: Final = f"{PREFIX}.facts.withdraw"
FACTS_LIST: Final = f"{PREFIX}.facts.list"
FACTS_CATALOGUE: Final = f"{PREFIX}.facts.catalogue"
NARRATIVE_SEARCH: Final = f"{PREFIX}.narrative.search"
NARRATIVE_LOAD: Final = f"{PREFIX}.narrative.load"
NARRATIVE_WITHDRAW: Final = f"{PREFIX}.narrative.withdraw"
ORCHESTRATOR_ANSWER: Final = f"{PREFIX}.orchestrator.answer"

# Events (JetStream), codes only.
EVENT_STREAM: Final = "RAGSPINE_EVENTS"
EVENTS_ANY: Final = f"{PREFIX}.events.>"
EVENT_FACTS_CHANGED: Final = f"{PREFIX}.events.facts_changed"

# Queue groups: one per service, so that replicas share the work.
QUEUE_GATEWAY: Final = "gateway"
QUEUE_ORCHESTRATOR: Final = "orchestrator"
QUEUE_INTENT: Final = "intent"
QUEUE_FACTS: Final = "facts"
QUEUE_NARRATIVE: Final = "narrative"

# Headers.
HEADER_DEADLINE: Final = "Ragspine-Deadline"  # absolute, milliseconds since the epoch
HEADER_TRACE: Final = "traceparent"  # W3C trace context
HEADER_ERROR: Final = "Nats-Service-Error"  # ADR-32: the ErrorCode of a failed request
HEADER_ERROR_CODE: Final = "Nats-Service-Error-Code"  # ADR-32: its number, the HTTP status it maps to
HEADER_IDEMPOTENCY_KEY: Final = "Idempotency-Key"  # of a durable ask over HTTP: the same one is accepted only once
HEADER_REPLAYED: Final = "Idempotency-Replayed"  # `true`: it had been accepted before
HEADER_TIMESTAMP: Final = "Ragspine-Timestamp"  # of a webhook: seconds since the epoch, under the signature
HEADER_SIGNATURE: Final = (
    "Ragspine-Signature"  # of a webhook: `v1=` and HMAC-SHA-256 in hex, several separated by commas
)
HEADER_ASK_ID: Final = "Ragspine-Ask-Id"  # of a webhook: which ask has ended; the same each time it is sent


def ask(app: str = LOCAL_APP) -> str:
    """The subject on which `app` publishes ask requests."""
    return f"{PREFIX}.ask.{app}"


def asks(app: str, ask_id: str) -> str:
    """The subject on which `app` publishes its durable ask `ask_id`."""
    return f"{PREFIX}.asks.{app}.{ask_id}"


def answers(app: str, ask_id: str) -> str:
    """The subject on which the final word on that ask is published."""
    return f"{PREFIX}.answers.{app}.{ask_id}"


def answer_lookup(app: str, ask_id: str) -> str:
    """The request that brings the kept final word on an ask straight from the stream (ADR-31 of NATS: direct get)."""
    return f"$JS.API.DIRECT.GET.{ANSWER_STREAM}.{answers(app, ask_id)}"


def ping(service: str) -> str:
    """The subject on which a service says whether it can do its work."""
    return f"{PREFIX}.{service}.ping"


def probe(service: str, instance: str) -> str:
    """The loopback subject on which one process asks itself whether it still hears the bus."""
    return f"{PREFIX}.probe.{service}.{instance}"
