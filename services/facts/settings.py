"""Settings of the facts worker."""

from typing import Annotated

from pydantic import Field

from runtime.postgres import PostgresUrl
from runtime.settings import RuntimeSettings, Seconds


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
