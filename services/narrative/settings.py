"""Settings of the narrative worker."""

from typing import Annotated

from pydantic import Field

from runtime.postgres import PostgresUrl
from runtime.settings import RuntimeSettings, Seconds


class NarrativeSettings(RuntimeSettings):
    """The database and its bounds."""

    postgres_url: PostgresUrl = Field(repr=False)
    """For searches; reading rights are enough."""
    postgres_loader_url: PostgresUrl | None = Field(default=None, repr=False)
    """For loading and withdrawing; default: the same as `postgres_url`."""
    narrative_connections: Annotated[int, Field(ge=2, le=100)] = 6
    """Connections for searches; one of them is used while the index follows changes."""
    narrative_loader_connections: Annotated[int, Field(ge=1, le=100)] = 2
    """Connections for changes."""
    narrative_query_seconds: Seconds = 5
    """A read that takes longer is given up: the passages count as unavailable."""
    narrative_load_seconds: Seconds = 30
    """The same for a load or a withdrawal."""

    @property
    def loader_url(self) -> str:
        """Where changes are made."""
        return self.postgres_loader_url or self.postgres_url
