"""Settings of the gateway."""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from runtime.postgres import PostgresUrl
from runtime.settings import Password, PasswordFile, Port, RuntimeSettings, Seconds, without_weak_password
from services.gateway.access.origins import parse_origins
from services.gateway.asks.settings import AskSettings
from services.gateway.asks.webhooks.settings import WebhookSettings

MODEL_DEADLINE_SECONDS: Final = 60.0
"""Default deadline of an ask where a model takes part."""

MAX_ASKS: Final = 64
MAX_ASKS_WITH_MODEL: Final = 256


def _is_redis_url(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must be redis://host:port/0, rediss://host:port/0 or unix:///path/of/the/socket")
    return without_weak_password(value)


def _are_origins(text: str) -> str:
    parse_origins(text)
    return text


RedisUrl = Annotated[str, AfterValidator(_is_redis_url)]
"""Where Redis is. It may hold a password, so it is never shown."""


class GatewaySettings(RuntimeSettings, AskSettings, WebhookSettings):
    """The HTTP door and its bounds."""

    http_allow_remote: bool = False
    """Listen beyond loopback although there are no API keys. Only for a private network whose door is closed elsewhere,
    such as the one of docker compose, which publishes the port on loopback."""
    http_host: str = "127.0.0.1"
    """Address to listen on. Beyond loopback only with API keys, or with `http_allow_remote`."""
    http_port: Port = 8321
    """Port to listen on; 0: a free port."""
    http_allowed_hosts: str = ""
    """Further host names, separated by commas, under which browsers and proxies may address this gateway."""
    http_keys_file: Path | None = None
    """The API keys; a file that is not there yet is looked for while the gateway runs. With one key in it every
    caller needs one."""
    http_cors_origins: Annotated[str, AfterValidator(_are_origins)] = ""
    """Origins of web pages that may call, separated by commas; none: no page of another origin."""
    http_behind_tls: bool = False
    """Only TLS reaches this gateway, by a proxy before it: browsers are told to use nothing else."""

    profile_origin: Path | None = None
    """The file of which `profile` is a copy: `/readyz` then says when that one has changed."""

    max_deadline_seconds: Seconds = 120
    """The longest time that a caller's deadline may leave."""
    max_asks: Annotated[int, Field(ge=1)] | None = None
    """Asks answered at the same time, over HTTP and NATS together; beyond it: 429. See `asks_at_once`."""
    max_loads: Annotated[int, Field(ge=1)] = 2
    """Load requests read and forwarded at the same time; each may hold several megabytes."""
    max_requests: Annotated[int, Field(ge=1)] = 512
    """HTTP requests open at the same time, of every kind but health; bounds the memory that bodies take."""
    max_streams: Annotated[int, Field(ge=1)] = 64
    """Streams of events open at the same time, a part of `max_requests`; beyond it: 429."""

    postgres_url: PostgresUrl | None = Field(default=None, repr=False)
    """Where vetted answers and durable asks are kept. Without it there are none."""
    redis_url: RedisUrl | None = Field(default=None, repr=False)
    """Where they are served from."""
    redis_password: Password | None = None
    redis_password_file: PasswordFile | None = None
    """Read instead of `redis_password`."""
    redis_timeout_seconds: Annotated[float, Field(gt=0, le=2)] = 0.05
    """A look-up that takes longer is given up: the question takes the normal path."""
    faq_connections: Annotated[int, Field(ge=1, le=100)] = 4
    """Connections to Postgres for managing vetted answers; one more hears of changes."""
    faq_query_seconds: Seconds = 5
    """A change that takes longer is given up."""
    faq_suggest_threshold: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Keep the text of a question without a vetted answer once it was asked so often; 0: nothing is counted."""

    def redis_secret(self) -> str | None:
        """The password for Redis; None when there is none."""
        if self.redis_password_file is not None:
            return self.redis_password_file.read_text(encoding="utf-8").strip()
        return self.redis_password.get_secret_value() if self.redis_password else None

    @property
    def ask_seconds(self) -> float:
        """Time for an ask whose caller names no deadline: longer where a model takes part, unless set."""
        if self.llm != "none" and "default_deadline_seconds" not in self.model_fields_set:
            return MODEL_DEADLINE_SECONDS
        return self.default_deadline_seconds

    @property
    def asks_at_once(self) -> int:
        """Places for asks.

        More than the processors can work on only makes every ask slower; with a model most asks wait for it meanwhile.
        """
        return self.max_asks or (MAX_ASKS if self.llm == "none" else MAX_ASKS_WITH_MODEL)

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The further host names, in lower case."""
        return frozenset(name.strip().lower() for name in self.http_allowed_hosts.split(",") if name.strip())

    @property
    def cors_origins(self) -> frozenset[str]:
        """The origins of pages that may call."""
        return parse_origins(self.http_cors_origins)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on that address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
