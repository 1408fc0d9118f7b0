"""Settings of the facts worker."""

import re
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from runtime.settings import RuntimeSettings, Seconds

_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(:[0-9]{1,5})?")


def _is_postgres_url(value: str) -> str:
    address = urlsplit(value)
    if address.scheme not in ("postgresql", "postgres"):
        raise ValueError("must be postgresql://user@host/database, or ...?host=/socket/directory")
    if not all(_HOST.fullmatch(host) for host in address.netloc.rpartition("@")[2].split(",")):
        raise ValueError("has a host or port that cannot be read")
    return value


PostgresUrl = Annotated[str, AfterValidator(_is_postgres_url)]
"""Where a database is, and under which role. It may hold a password, so it is never shown."""


class FactsSettings(RuntimeSettings):
    """The database and its bounds."""

    postgres_url: PostgresUrl = Field(repr=False)
    """For look-ups; reading rights are enough."""
    postgres_loader_url: PostgresUrl | None = Field(default=None, repr=False)
    """For loading and withdrawing; default: the same as `postgres_url`."""
    facts_connections: Annotated[int, Field(ge=1, le=100)] = 8
    """Connections for look-ups. A look-up takes well under a millisecond of one."""
    facts_loader_connections: Annotated[int, Field(ge=2, le=100)] = 3
    """Connections for changes; one of them is used by the announcing of events."""
    facts_query_seconds: Seconds = 2
    """A look-up that takes longer is given up: the fact source counts as unavailable."""
    facts_load_seconds: Seconds = 30
    """The same for a load or a withdrawal."""

    @property
    def loader_url(self) -> str:
        """Where changes are made."""
        return self.postgres_loader_url or self.postgres_url
