"""Everything that somebody on the bus could try, made from the table: one list for all users."""

from collections.abc import Iterator

from contracts import subjects
from runtime.bus_users import (
    APP_INBOX,
    PRODUCT_USERS,
    SYSTEM_USER,
    USERS,
    BusUser,
    app_publish,
    covers,
)
from tests.integration.security.bus_server import APPS

STREAMS = (subjects.EVENT_STREAM, subjects.ASK_STREAM, subjects.ANSWER_STREAM)
STREAM_VERBS = (
    "CREATE",
    "UPDATE",
    "INFO",
    "DELETE",
    "PURGE",
    "SNAPSHOT",
    "RESTORE",
    "MSG.GET",
    "MSG.DELETE",
    "LEADER.STEPDOWN",
    "PEER.REMOVE",
)
CONSUMER_VERBS = ("CREATE", "DURABLE.CREATE", "INFO", "DELETE", "MSG.NEXT", "PAUSE", "UNPIN", "LEADER.STEPDOWN")
CONSUMERS = ("gateway", "x", *APPS)
EVERYTHING = (
    ">",
    "*",
    "ragspine.>",
    "ragspine.v1.*",
    "ragspine.v1.ask.>",
    "_INBOX.>",
    "$JS.>",
    "$JS.API.>",
    "$SYS.>",
    "_R_.>",
)


def subjects_to_publish() -> tuple[str, ...]:
    """Concrete subjects, each once."""
    return tuple(dict.fromkeys([*_of_the_table(), *_of_apps(), *_of_jetstream(), *_of_others()]))


def subjects_to_hear() -> tuple[str, ...]:
    """Those, and wildcards over them."""
    listed = [heard.split(" ")[0] for user in USERS for heard in user.subscribe]
    return tuple(dict.fromkeys([*subjects_to_publish(), *listed, *EVERYTHING, APP_INBOX]))


def may_publish(user: str, subject: str) -> bool:
    """What the table says; a reply is something else."""
    return any(covers(right, subject) for right in _publish(user))


def may_hear(user: str, subject: str, queue: str) -> bool:
    """What the table says: a right with a queue group is one for that group alone.

    The server takes `>` for one more token, so `a.*` lets `a.>` in: nothing of ours lies below such a right.
    """
    for right in (APP_INBOX,) if user in APPS else _user(user).subscribe:
        pattern, _, group = right.partition(" ")
        if covers(pattern, subject.replace(">", "x")) and group in ("", queue):
            return True
    return False


def concrete(pattern: str) -> str:
    """One subject that a pattern means."""
    return ".".join("x" if token in ("*", ">") else token for token in pattern.split("."))


def _publish(user: str) -> tuple[str, ...]:
    return app_publish(user) if user in APPS else _user(user).publish


def _user(name: str) -> BusUser:
    return next(user for user in USERS if user.name == name)


def _of_the_table() -> Iterator[str]:
    for user in (*PRODUCT_USERS, SYSTEM_USER):
        yield from map(concrete, user.publish)
        yield from (concrete(heard.split(" ")[0]) for heard in user.subscribe)


def _of_apps() -> Iterator[str]:
    for app in (*APPS, subjects.LOCAL_APP):
        yield from map(concrete, app_publish(app))
        yield subjects.answers(app, "x")


def _of_jetstream() -> Iterator[str]:
    yield from ("$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.ACCOUNT.PURGE.RAGSPINE")
    yield from ("$JS.API.META.LEADER.STEPDOWN", "$JS.FC.x", "$KV.x.y", "$O.x.C.y")
    for stream in STREAMS:
        yield from (f"$JS.API.STREAM.{verb}.{stream}" for verb in STREAM_VERBS)
        yield from (f"$JS.API.CONSUMER.{verb}.{stream}" for verb in ("CREATE", "LIST", "NAMES"))
        yield from (f"$JS.API.CONSUMER.{verb}.{stream}.{name}" for verb in CONSUMER_VERBS for name in CONSUMERS)
        yield from (f"$JS.ACK.{stream}.{name}.1.1.1.1.0" for name in CONSUMERS)
        yield f"$JS.API.DIRECT.GET.{stream}"
        yield f"$JS.API.CONSUMER.CREATE.{stream}.x.ragspine.v1.other"


def _of_others() -> Iterator[str]:
    yield from ("_INBOX.x", "_R_.x", "x", "ragspine.v1.unknown", "ragspine.v1.ask", "$SYS.REQ.USER.INFO")
    yield from ("$SYS.REQ.SERVER.PING.CONNZ", "$SYS.REQ.ACCOUNT.RAGSPINE.SUBSZ", "$SYS.ACCOUNT.RAGSPINE.CONNECT")
    yield from (f"_INBOX_{user.name}.x" for user in USERS)
