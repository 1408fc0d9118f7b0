"""The table of the bus as nats-server's configuration: accounts with their users, and the server around them.

Pure: texts from the table and from secrets that are handed in. What is committed in deploy/nats is the same text with
placeholders for the secrets.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

from runtime.bus_users import (
    APP_INBOX,
    PRODUCT_ACCOUNT,
    PRODUCT_USERS,
    REPLY_MAX,
    REPLY_SECONDS,
    SYSTEM_ACCOUNT,
    SYSTEM_USER,
    BusUser,
    Service,
    account,
    app_publish,
    app_services,
)

ACCOUNTS_FILE: Final = "accounts.conf"
MAX_STREAMS: Final = 8
MAX_CONSUMERS: Final = 1_024
"""Of one account: a consumer for each gateway process and for each app, and room for those that ended unasked."""


@dataclass(frozen=True, slots=True)
class Password:
    """A user that shows a password."""

    text: str


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A user that signs with an NKey; the server knows the public half only."""

    text: str


Credential = Password | PublicKey


@dataclass(frozen=True, slots=True)
class Tls:
    """Encryption of client connections, TLS 1.3."""

    certificate: Path
    key: Path
    ca: Path | None = None
    """Clients must show a certificate of this authority; none is asked for without it."""
    handshake_first: bool = False
    """TLS before the server says anything; clients must be told."""


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where a server listens and keeps its streams."""

    host: str
    port: int
    monitor_host: str
    """Loopback, or the network of the bus: it shows names and figures to whoever asks."""
    monitor_port: int
    store: str
    max_file_store: str
    accounts: str
    """The file of accounts, as seen from this file."""


def server_text(place: ServerPlace) -> str:
    """The configuration of the server: limits on everything, and no listener beside clients and monitor."""
    return f"""\
# Made by `python -m scripts.generate_bus` and by `ragspine up`; docs/operations/bus.md explains it.
# Clients and monitor only: no websocket, mqtt, leafnode, cluster or gateway listener, and nobody without credentials.
server_name: ragspine
host: {_text(place.host)}
port: {place.port}
http: {_text(f"{place.monitor_host}:{place.monitor_port}")}
max_payload: 1MB
max_control_line: 2KB
max_connections: 1024
max_subscriptions: 2048
max_pending: 16MB # a reader that is slower is cut off; it cannot grow the server
write_deadline: "5s"
ping_interval: "5s"
ping_max: 2
lame_duck_duration: "30s"
lame_duck_grace_period: "2s"
jetstream {{
  store_dir: {_text(place.store)}
  max_memory_store: 64MB
  max_file_store: {place.max_file_store}
  sync_interval: always # what was acknowledged is on the disk
}}
include {_text(place.accounts)}
"""


def accounts_text(users: Mapping[str, Credential], apps: Mapping[str, Credential], tls: Tls | None = None) -> str:
    """The accounts: the product's, the system's, and one for each app. Raises `KeyError` for a user without secret."""
    blocks = [_product(users, sorted(apps)), _system(users), *(_app(name, apps[name]) for name in sorted(apps))]
    return "\n".join(
        [
            "# Made from runtime/bus_users.py: change that table or use `ragspine bus accounts`, not this file.",
            *(() if tls is None else (_tls(tls),)),
            "accounts {",
            *blocks,
            "}",
            f"system_account: {SYSTEM_ACCOUNT}",
            "",
        ]
    )


def _product(users: Mapping[str, Credential], apps: Iterable[str]) -> str:
    exports = [_export(service, app) for app in apps for service in app_services(app)]
    return "\n".join(
        [
            f"  {PRODUCT_ACCOUNT} {{",
            f"    jetstream {{ max_streams: {MAX_STREAMS}, max_consumers: {MAX_CONSUMERS} }}",
            "    exports: [",
            *exports,
            "    ]",
            "    users: [",
            *(_user(user, users[user.name]) for user in PRODUCT_USERS),
            "    ]",
            "  }",
        ]
    )


def _system(users: Mapping[str, Credential]) -> str:
    user = _user(SYSTEM_USER, users[SYSTEM_USER.name])
    return "\n".join([f"  {SYSTEM_ACCOUNT} {{", "    users: [", user, "    ]", "  }"])


def _app(name: str, credential: Credential) -> str:
    imports = [
        f"      {{ service: {{ account: {PRODUCT_ACCOUNT}, subject: {_text(service.subject)} }} }}"
        for service in app_services(name)
    ]
    return "\n".join(
        [
            f"  {_text(account(name))} {{",
            "    imports: [",
            *imports,
            "    ]",
            "    users: [",
            _entry(name, credential, app_publish(name), (APP_INBOX,), answers=False),
            "    ]",
            "  }",
        ]
    )


def _export(service: Service, app: str) -> str:
    kind = ', response_type: "Stream"' if service.many_replies else ""
    return f"      {{ service: {_text(service.subject)}, accounts: [{_text(account(app))}]{kind} }}"


def _user(user: BusUser, credential: Credential) -> str:
    return _entry(user.name, credential, user.publish, user.subscribe, answers=user.answers)


def _entry(
    name: str, credential: Credential, publish: Iterable[str], subscribe: Iterable[str], *, answers: bool
) -> str:
    return "\n".join(
        [
            f"      {{ {_credential(name, credential)}, permissions: {{",
            f"        publish: {{ allow: {_list(publish)} }}",
            f"        subscribe: {{ allow: {_list(subscribe)} }}",
            *([f'        allow_responses: {{ max: {REPLY_MAX}, expires: "{REPLY_SECONDS}s" }}'] if answers else []),
            "      } }",
        ]
    )


def _credential(name: str, credential: Credential) -> str:
    match credential:
        case Password(text):
            return f"user: {_text(name)}, password: {_text(text)}"
        case PublicKey(text):
            return f"nkey: {_text(text)}"
        case _:
            assert_never(credential)


def _list(subjects: Iterable[str]) -> str:
    return "[" + "".join(f"\n          {_text(subject)}" for subject in subjects) + "\n        ]"


def _tls(tls: Tls) -> str:
    lines = [f"  cert_file: {_text(str(tls.certificate))}", f"  key_file: {_text(str(tls.key))}"]
    if tls.ca is not None:
        lines += [f"  ca_file: {_text(str(tls.ca))}", "  verify: true"]
    lines.append('  min_version: "1.3"')
    if tls.handshake_first:
        lines.append("  handshake_first: true")
    return "\n".join(["tls {", *lines, "}"])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # which is a valid quoted string there, too
