"""Who may log in to Postgres, as what, and how much each may take: one table, for every kind of deployment. Pure.

What a group may do is said where its tables are made, in the migrations; here is only who belongs to which group. No
login may become another role, make a role or a database, or own anything, but for the owner, who runs the migrations.
"""

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

OWNER: Final = "ragspine_owner"
"""Owns the schemas; used by the migration alone."""
GROUPS: Final = (
    "ragspine_facts_read",
    "ragspine_facts_load",
    "ragspine_narrative_read",
    "ragspine_narrative_load",
    "ragspine_faq",
    "ragspine_asks",
)
SCHEMAS: Final = ("facts", "narrative", "faq", "asks")
DEFAULT_REPLICAS: Final = 3
RESERVED_CONNECTIONS: Final = 12
"""For the superuser, and for backups."""
SCRAM_ROUNDS: Final = 4096
"""What Postgres itself uses; the passwords are 256 random bits, so guessing is no way in."""

_READS: Final = {
    "default_transaction_read_only": "on",
    "statement_timeout": "5s",
    "lock_timeout": "1s",
    "transaction_timeout": "10s",
    "idle_in_transaction_session_timeout": "5s",
}
_WRITES: Final = {
    "statement_timeout": "30s",
    "lock_timeout": "30s",
    "transaction_timeout": "60s",
    "idle_in_transaction_session_timeout": "30s",
}


@dataclass(frozen=True, slots=True)
class Login:
    """Somebody who may log in."""

    name: str
    groups: tuple[str, ...] = ()
    connections: int = 4
    """At the same time, all in all; of each process of the worker where `is_of_worker`."""
    is_of_worker: bool = True
    may_stage: bool = False
    """Temporary tables: loads are staged in them."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Defaults of a session. The login may change them, but for those that only a superuser may, such as
    `temp_file_limit`: the limits that hold are those, the number of connections, and the times that our side keeps."""

    def limit(self, replicas: int) -> int:
        """Connections at the same time: one process more than `replicas`, so that a restart need not wait."""
        return self.connections * (replicas + 1) if self.is_of_worker else self.connections


LOGINS: Final = (
    Login(OWNER, is_of_worker=False),
    Login(
        "facts_read",
        ("ragspine_facts_read",),
        connections=8,
        settings={**_READS, "work_mem": "16MB", "temp_file_limit": "0"},
    ),
    Login(
        "facts_load", ("ragspine_facts_read", "ragspine_facts_load"), connections=3, may_stage=True, settings=_WRITES
    ),
    Login(
        "narrative_read",
        ("ragspine_narrative_read",),
        connections=6,
        settings={**_READS, "work_mem": "16MB", "temp_file_limit": "1GB"},  # an index is made from all passages, sorted
    ),
    Login(
        "narrative_load",
        ("ragspine_narrative_read", "ragspine_narrative_load"),
        connections=2,
        may_stage=True,
        settings=_WRITES,
    ),
    Login("faq_keep", ("ragspine_faq", "ragspine_asks"), connections=14, settings=_WRITES),
    Login(  # a large file takes as long as it takes, and waits for another one
        "cli_load",
        ("ragspine_facts_read", "ragspine_facts_load", "ragspine_narrative_read", "ragspine_narrative_load"),
        is_of_worker=False,
        may_stage=True,
        settings={"lock_timeout": "60s"},
    ),
)


def connections_needed(replicas: int = DEFAULT_REPLICAS) -> int:
    """Connections that the server must allow for `replicas` processes of each worker."""
    return sum(login.limit(replicas) for login in LOGINS) + RESERVED_CONNECTIONS


def scram_verifier(password: str, salt: bytes) -> str:
    """What Postgres keeps of a password (SCRAM-SHA-256). Made here, so that the password itself is never sent."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, SCRAM_ROUNDS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    stored, server = (b64encode(key).decode() for key in (hashlib.sha256(client_key).digest(), server_key))
    return f"SCRAM-SHA-256${SCRAM_ROUNDS}:{b64encode(salt).decode()}${stored}:{server}"
