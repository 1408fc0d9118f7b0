"""Settings of durable asks."""

from typing import Annotated

from pydantic import Field

from runtime.monitor import MonitorUrls
from runtime.settings import DEFAULT_KEPT_SECONDS, BaseEnvironment, KeptSeconds


class AskSettings(BaseEnvironment):
    """What durable asks need beside Postgres and the bus."""

    nats_monitor_url: MonitorUrls | None = None
    """The monitoring port of the NATS server, which says whether it syncs; without it there are no durable asks."""
    asks_kept_seconds: KeptSeconds = DEFAULT_KEPT_SECONDS
    """How long finished asks are kept."""
    asks_worked_at_once: Annotated[int, Field(ge=1, le=1_000)] = 16
    """Durable asks that one gateway answers at the same time; they count among `max_asks`, too."""
    asks_open_per_app: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """Durable asks of one app without a final word; beyond it no more are accepted over HTTP."""
    asks_longest_wait_seconds: Annotated[float, Field(ge=1, le=30 * 24 * 3600)] = 86_400
    """How long an ask waits for a part that is away before it fails."""
    asks_connections: Annotated[int, Field(ge=1, le=100)] = 8
    """Connections to Postgres for the ledger."""
    asks_query_seconds: Annotated[float, Field(gt=0, le=60)] = 5
    """A statement of the ledger that takes longer is given up, and tried again."""
