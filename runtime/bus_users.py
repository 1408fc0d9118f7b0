"""The one table of the bus: who may publish and hear what. Pure data, derived from the contracts' subjects.

The server's configuration, the check of reply subjects, the page in docs/ and the matrix of tests are made from it, so
none of them can say something else. Allow lists only: what stands in no list is denied by the server. Nobody holds `>`,
an inbox of somebody else, or a right to delete, purge, restore or copy a stream. One message can be taken out by one
user: an answer, by the gateway, which keeps the ledger that says what it has to be.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from contracts import subjects

PRODUCT_ACCOUNT: Final = "RAGSPINE"
SYSTEM_ACCOUNT: Final = "SYS"
REPLY_MAX: Final = 1
REPLY_SECONDS: Final = 300
"""How long after a request its one reply may be sent: the longest deadline that a setting allows."""
IMPORTED_REPLIES: Final = "_R_."
"""What nats-server puts in place of the reply subject of a request from another account."""

API: Final = "$JS.API"
_APP_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class BusUser:
    """One user of the product's account."""

    name: str
    what: str
    """Who that is, for people."""
    serves: tuple[str, ...] = ()
    """Subjects of requests that it answers, each in the queue group of its own name and no other."""
    calls: tuple[str, ...] = ()
    """Subjects of requests that it sends."""
    stores: tuple[str, ...] = ()
    """Subjects of streams that it publishes to."""
    api: tuple[str, ...] = ()
    """JetStream's own subjects: its API, and acknowledging."""

    @property
    def publish(self) -> tuple[str, ...]:
        """Every subject that it may publish to; replies come on top where it `answers`."""
        return (*self.calls, *self.stores, *self.api)

    @property
    def subscribe(self) -> tuple[str, ...]:
        """Every subject that it may hear, with the queue group after a space where it must be in one."""
        return (*(f"{subject} {self.name}" for subject in self.serves), f"{inbox(self.name)}>")

    @property
    def answers(self) -> bool:
        """Whether it may reply: once to each request that was delivered to it."""
        return bool(self.serves)


@dataclass(frozen=True, slots=True)
class Service:
    """What an app's account may reach of the product's: the same subject on both sides."""

    subject: str
    many_replies: bool = False
    """Whether one request may get several replies (the next messages of a consumer)."""


def inbox(user: str) -> str:
    """What the reply subjects of a user start with; nobody else may hear them."""
    return f"_INBOX_{user}."


def is_app_name(name: str) -> bool:
    """Whether an app may have this name: one token of its subjects, and not that of a user of the product."""
    return _APP_NAME.fullmatch(name) is not None and name not in _NAMES


def account(app: str) -> str:
    """The account of an app."""
    return f"APP_{app}"


def _worker(
    name: str,
    what: str,
    *,
    serves: tuple[str, ...] = (),
    calls: tuple[str, ...] = (),
    stores: tuple[str, ...] = (),
    api: tuple[str, ...] = (),
) -> BusUser:
    """A worker: beside its own work it answers pings, and asks itself whether it hears the bus."""
    probe = subjects.probe(name, "*")
    return BusUser(name, what, (*serves, subjects.ping(name), probe), (*calls, probe), stores, api)


def _consumer(stream: str, consumer: str) -> tuple[str, ...]:
    """What reading a stream through one consumer takes; `consumer` may be `*` for those that a process makes."""
    return (
        f"{API}.CONSUMER.INFO.{stream}.{consumer}",
        f"{API}.CONSUMER.MSG.NEXT.{stream}.{consumer}",
        f"$JS.ACK.{stream}.{consumer}.>",
    )


def _direct_get(answers: str) -> str:
    """Reading a stored answer by its subject."""
    return f"{API}.DIRECT.GET.{subjects.ANSWER_STREAM}.{answers}"


def _stream_setup(stream: str) -> tuple[str, ...]:
    return tuple(f"{API}.STREAM.{verb}.{stream}" for verb in ("CREATE", "INFO", "UPDATE"))


def _consumer_setup(stream: str, consumer: str, of: str) -> tuple[str, ...]:
    """Making a consumer, with the filter `of` or none where it is the only one of its stream."""
    alone = () if consumer == "*" else (f"{API}.CONSUMER.DURABLE.CREATE.{stream}.{consumer}",)
    return (*alone, f"{API}.CONSUMER.CREATE.{stream}.{consumer}.{of}", f"{API}.CONSUMER.INFO.{stream}.{consumer}")


_GATEWAY: Final = _worker(
    "gateway",
    "the door: asks of apps, loading, vetted answers",
    serves=(subjects.ASK_ANY_APP,),
    calls=(
        subjects.ORCHESTRATOR_ANSWER,
        subjects.INTENT_PARSE,
        subjects.FACTS_LOAD,
        subjects.FACTS_WITHDRAW,
        subjects.FACTS_LIST,
        subjects.FACTS_CATALOGUE,
        subjects.NARRATIVE_LOAD,
        subjects.NARRATIVE_WITHDRAW,
        *(subjects.ping(service) for service in ("orchestrator", "intent", "facts", "narrative")),
    ),
    stores=(subjects.ASKS_ANY, subjects.ANSWERS_ANY),
    api=(
        f"{API}.CONSUMER.CREATE.{subjects.EVENT_STREAM}.*.{subjects.EVENT_FACTS_CHANGED}",
        *_consumer(subjects.EVENT_STREAM, "*"),
        *_consumer(subjects.ASK_STREAM, subjects.ASK_CONSUMER),
        _direct_get(subjects.ANSWERS_ANY),
        f"{API}.STREAM.MSG.DELETE.{subjects.ANSWER_STREAM}",  # an answer that another attempt replaces
    ),
)
_ORCHESTRATOR: Final = _worker(
    "orchestrator",
    "decides every answer",
    serves=(subjects.ORCHESTRATOR_ANSWER,),
    calls=(subjects.INTENT_PARSE, subjects.FACTS_QUERY, subjects.FACTS_NEWEST, subjects.NARRATIVE_SEARCH),
)
_INTENT: Final = _worker("intent", "reads questions", serves=(subjects.INTENT_PARSE,))
_FACTS: Final = _worker(
    "facts",
    "keeps the facts",
    serves=(
        subjects.FACTS_QUERY,
        subjects.FACTS_NEWEST,
        subjects.FACTS_LOAD,
        subjects.FACTS_WITHDRAW,
        subjects.FACTS_LIST,
        subjects.FACTS_CATALOGUE,
    ),
    stores=(subjects.EVENT_FACTS_CHANGED,),
)
_NARRATIVE: Final = _worker(
    "narrative",
    "keeps and finds passages",
    serves=(subjects.NARRATIVE_SEARCH, subjects.NARRATIVE_LOAD, subjects.NARRATIVE_WITHDRAW),
)
_MIGRATE: Final = BusUser(
    "migrate",
    "the one-shot job that makes streams and consumers",
    api=(
        f"{API}.INFO",
        *_stream_setup(subjects.EVENT_STREAM),
        *_stream_setup(subjects.ASK_STREAM),
        *_stream_setup(subjects.ANSWER_STREAM),
        *_consumer_setup(subjects.ASK_STREAM, subjects.ASK_CONSUMER, subjects.ASKS_ANY),
        *_consumer_setup(subjects.ANSWER_STREAM, "*", subjects.ANSWERS_ANY),
    ),
)
_CLI: Final = BusUser("cli", "the command line of the operator: how questions are read", calls=(subjects.INTENT_PARSE,))

PRODUCT_USERS: Final = (_GATEWAY, _ORCHESTRATOR, _INTENT, _FACTS, _NARRATIVE, _MIGRATE, _CLI)
"""Everybody in the product's account."""

SYSTEM_USER: Final = BusUser(
    "sys",
    "the server itself: read its figures, let it read its configuration again",
    calls=("$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.SERVER.*.VARZ", "$SYS.REQ.SERVER.*.RELOAD"),
)
"""The one user of the system's account."""

USERS: Final = (*PRODUCT_USERS, SYSTEM_USER)
_NAMES: Final = frozenset(user.name for user in USERS)


def app_services(app: str) -> tuple[Service, ...]:
    """What the account of an app may reach: its own asks and answers, and nothing of anybody else."""
    _, following, ack = _consumer(subjects.ANSWER_STREAM, app)
    return (
        Service(subjects.ask(app)),
        Service(subjects.asks(app, "*")),
        Service(_direct_get(subjects.answers(app, "*"))),
        Service(following, many_replies=True),
        Service(ack),
    )


def app_publish(app: str) -> tuple[str, ...]:
    """What the user of an app may publish, inside its account; it hears `APP_INBOX`."""
    return tuple(service.subject for service in app_services(app))


APP_INBOX: Final = "_INBOX.>"
"""The usual inboxes: inside its account an app is alone."""


def callers(subject: str) -> frozenset[str]:
    """Which users of the product may send requests on a subject."""
    return frozenset(user.name for user in PRODUCT_USERS if any(covers(known, subject) for known in user.calls))


def reply_prefixes(subject: str) -> tuple[str, ...]:
    """What the reply subject of a request must start with, one of these: inboxes of those who may call."""
    prefixes = [inbox(name) for name in sorted(callers(subject))]
    if covers(subjects.ASK_ANY_APP, subject):
        prefixes.append(IMPORTED_REPLIES)
    return tuple(prefixes)


def covers(pattern: str, subject: str) -> bool:
    """Whether every subject that `subject` can mean is one of those that `pattern` means."""
    wanted, given = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(given) >= len(wanted) and _tokens_cover(wanted[:-1], given)
    return len(wanted) == len(given) and _tokens_cover(wanted, given)


def _tokens_cover(wanted: Iterable[str], given: Iterable[str]) -> bool:
    return all(w == g or (w == "*" and g != ">") for w, g in zip(wanted, given, strict=False))
