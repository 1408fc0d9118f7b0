"""Who may do what in Redis: one table, from which every kind of deployment makes its list of users. Pure.

The gateway gets the commands that it sends, on the keys that are its own, and nothing else: no script, no function, no
look at other keys, no blocking command, no setting. What it keeps there is derived, ends by itself, and may be lost.
"""

import secrets
from dataclasses import dataclass
from typing import Final

FAQ_KEYS: Final = "ragspine:faq:1:"
"""The serving copy of the vetted answers, and the counters of questions that have none."""
RATE_KEYS: Final = "ragspine:rate:v1:"
"""How much each key for the HTTP door has used of what it may."""
GATEWAY: Final = "gateway"
HEALTH: Final = "health"
TRANSACTION: Final = ("multi", "exec", "discard", "unwatch")
CONNECTION: Final = ("ping", "hello")


@dataclass(frozen=True, slots=True)
class Rights:
    """Commands on the keys that begin with `prefix`."""

    prefix: str
    commands: tuple[str, ...]


GATEWAY_RIGHTS: Final = (
    Rights(
        FAQ_KEYS,
        (
            "watch",
            "hget",
            "hmget",
            "hset",
            "expire",
            "rename",
            "unlink",
            "bitfield",
            "zadd",
            "zremrangebyrank",
            "zrevrange",
        ),
    ),
    Rights(RATE_KEYS, ("get", "incrby", "pexpire")),
)
LIMITS: Final = {
    "maxmemory": "64mb",
    # Every key has a time to live. One without would be an error of ours, and gets no space.
    "maxmemory-policy": "volatile-lfu",
    "maxmemory-clients": "32mb",
    "client-query-buffer-limit": "1mb",
    "proto-max-bulk-len": "1mb",
    "maxclients": "2048",
    "timeout": "300",
    "tcp-keepalive": "60",
    "save": "",
    "appendonly": "no",
    "enable-debug-command": "no",
    "enable-module-command": "no",
    "lazyfree-lazy-eviction": "yes",
    "client-output-buffer-limit": "normal 4mb 2mb 10",
}
"""Of the server: it stays small, whoever asks it for what."""


def acl(gateway_password: str, health_password: str) -> str:
    """The list of users, as `aclfile` wants it. Nobody else gets in."""
    rights = " ".join(f"(~{right.prefix}* {_allowed(right.commands)})" for right in GATEWAY_RIGHTS)
    nothing = "resetkeys resetchannels -@all"
    return (
        "user default off resetpass\n"
        f"user {GATEWAY} on >{gateway_password} {nothing} {_allowed((*TRANSACTION, *CONNECTION))} {rights}\n"
        f"user {HEALTH} on >{health_password} {nothing} +ping\n"
    )


def new_password() -> str:
    """256 random bits as text that needs no quoting anywhere."""
    return secrets.token_urlsafe(32)


def _allowed(commands: tuple[str, ...]) -> str:
    return " ".join(f"+{command}" for command in commands)
