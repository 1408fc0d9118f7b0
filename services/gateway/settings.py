"""Settings of the gateway. Without API keys it serves this machine only, and says so instead of starting open."""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationInfo, field_validator

from runtime.settings import Port, RuntimeSettings, Seconds

MODEL_DEADLINE_SECONDS: Final = 60.0
"""Default deadline of an ask where a model takes part."""


class GatewaySettings(RuntimeSettings):
    """The HTTP door and its bounds."""

    http_allow_remote: bool = False
    """Listen beyond loopback although there are no API keys. Only for a private network whose door is closed elsewhere,
    such as the one of docker compose, which publishes the port on loopback."""
    http_host: str = "127.0.0.1"
    """Address to listen on. Beyond loopback only with `http_allow_remote`."""
    http_port: Port = 8321
    """Port to listen on; 0: a free port."""
    http_allowed_hosts: str = ""
    """Further host names, separated by commas, under which browsers and proxies may address this gateway."""

    profile_origin: Path | None = None
    """The file of which `profile` is a copy: `/readyz` then says when that one has changed."""

    max_deadline_seconds: Seconds = 120
    """The longest time that a caller's deadline may leave."""
    max_asks: Annotated[int, Field(ge=1)] = 256
    """Asks answered at the same time, over HTTP and NATS together; beyond it: 429."""
    max_loads: Annotated[int, Field(ge=1)] = 2
    """Load requests read and forwarded at the same time; each may hold several megabytes."""
    max_requests: Annotated[int, Field(ge=1)] = 512
    """HTTP requests open at the same time, of every kind but health; bounds the memory that bodies take."""

    @field_validator("http_host")
    @classmethod
    def _closed_without_keys(cls, host: str, info: ValidationInfo) -> str:
        if not info.data.get("http_allow_remote", False) and not is_loopback(host):
            raise ValueError(
                "must be a loopback address, because there are no API keys yet; inside a private network that nobody "
                "else reaches, RAGSPINE_HTTP_ALLOW_REMOTE=1 lifts this"
            )
        return host

    @property
    def ask_seconds(self) -> float:
        """Time for an ask whose caller names no deadline: longer where a model takes part, unless set."""
        if self.llm != "none" and "default_deadline_seconds" not in self.model_fields_set:
            return MODEL_DEADLINE_SECONDS
        return self.default_deadline_seconds

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The further host names, in lower case."""
        return frozenset(name.strip().lower() for name in self.http_allowed_hosts.split(",") if name.strip())


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on that address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
