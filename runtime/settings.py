"""Settings of a process, read once at its start from `RAGSPINE_*`; a wrong value stops the start by name.

Values are never repeated in a message: some of them are secrets.
"""

from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from contracts.reasons import reason_of
from runtime.secrecy import is_known, passwords_in, weakness

PREFIX = "RAGSPINE_"

S = TypeVar("S", bound=BaseSettings)


class ConfigurationError(Exception):
    """The process cannot start; the message is one line that names the variable."""


def _is_nats_url(value: str) -> str:
    for url in value.split(","):
        if not url.strip().startswith(("nats://", "tls://")):
            raise ValueError("must be nats://host:port or tls://host:port, several separated by commas")
        without_weak_password(url.strip())
    return value


def without_weak_password(url: str) -> str:
    """An address: refused when it carries a password that is no secret."""
    for password in passwords_in(url):
        if reason := weakness(password):
            raise ValueError(f"its password {reason}")
    return url


def strong_secret(secret: SecretStr) -> SecretStr:
    """A setting that is a password: refused when it is no secret."""
    if reason := weakness(secret.get_secret_value()):
        raise ValueError(reason)
    return secret


def own_key(secret: SecretStr) -> SecretStr:
    """A setting that is a key of somebody else's service, which may be any word, but not one that stands for a key."""
    if is_known(secret.get_secret_value()):
        raise ValueError("is a word of an example, not a key")
    return secret


def is_file(path: Path) -> Path:
    """A setting that names a file: refused when there is none."""
    if not path.is_file():
        raise ValueError("names no readable file")
    return path


def holds_password(path: Path) -> Path:
    """A setting that names the file of a password: refused when what it holds is no secret."""
    if reason := weakness(_content(path)):
        raise ValueError(f"what it holds {reason}")
    return path


def holds_key(path: Path) -> Path:
    """A setting that names the file of a key: refused when that is empty, or a word that stands for a key."""
    key = _content(path)
    if not key or is_known(key):
        raise ValueError("holds no key")
    return path


def _content(path: Path) -> str:
    try:
        return is_file(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ValueError("names no readable file") from None


Port = Annotated[int, Field(ge=0, le=65535)]
"""A TCP port; 0 lets the system choose a free one."""

Seconds = Annotated[float, Field(gt=0, le=300)]
"""A duration."""

KeptSeconds = Annotated[float, Field(ge=60, le=366 * 24 * 3600)]
"""How long something that is finished is kept."""

DEFAULT_KEPT_SECONDS: Final = 7 * 24 * 3600.0

Password = Annotated[SecretStr, AfterValidator(strong_secret)]
"""A password of a server of ours."""

PasswordFile = Annotated[Path, AfterValidator(holds_password)]
"""The file of one: a secret in a file does not show up in a process listing."""

OwnKey = Annotated[SecretStr, AfterValidator(own_key)]
"""The key of a service of others."""

OwnKeyFile = Annotated[Path, AfterValidator(holds_key)]
"""The file of one."""

NatsUrl = Annotated[str, AfterValidator(_is_nats_url)]
"""One or more comma-separated NATS addresses."""


class BaseEnvironment(BaseSettings):
    """Frozen settings from `RAGSPINE_*`; an empty variable counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )


class NatsCredentials(BaseEnvironment):
    """Who a process is on the bus, and how it knows the server; none of them on a bus without users."""

    nats_user: str | None = None
    nats_password: Password | None = None
    nats_password_file: PasswordFile | None = None
    """Read instead of `nats_password`."""
    nats_nkey_file: Annotated[Path, AfterValidator(is_file)] | None = None
    """The seed of an NKey, in place of user and password: the server knows its public half only."""
    nats_tls_ca_file: Annotated[Path, AfterValidator(is_file)] | None = None
    """Certificates of who may sign the server's; with it the connection is encrypted or there is none."""
    nats_tls_cert_file: Annotated[Path, AfterValidator(is_file)] | None = None
    nats_tls_key_file: Annotated[Path, AfterValidator(is_file)] | None = None
    """Our own certificate, where the server asks for one."""
    nats_tls_handshake_first: bool = False
    """Encrypt before the server has said anything; the server must be set so, too."""

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.nats_nkey_file is not None and self.nats_user is not None:
            raise ValueError("RAGSPINE_NATS_NKEY_FILE: stands in place of RAGSPINE_NATS_USER, not beside it")
        if (self.nats_tls_cert_file is None) != (self.nats_tls_key_file is None):
            raise ValueError("RAGSPINE_NATS_TLS_CERT_FILE: belongs together with RAGSPINE_NATS_TLS_KEY_FILE")
        if self.nats_tls_ca_file is None and (self.nats_tls_cert_file is not None or self.nats_tls_handshake_first):
            raise ValueError("RAGSPINE_NATS_TLS_CA_FILE: needed for the other RAGSPINE_NATS_TLS settings")
        return self

    @property
    def has_identity(self) -> bool:
        """Whether the process shows the bus who it is."""
        return self.nats_user is not None or self.nats_nkey_file is not None

    def nats_secret(self) -> str | None:
        """The password for `nats_user`; None when there is none."""
        if self.nats_password_file is not None:
            return self.nats_password_file.read_text(encoding="utf-8").strip()
        return self.nats_password.get_secret_value() if self.nats_password else None


class RuntimeSettings(NatsCredentials):
    """What every worker needs; services add their own."""

    nats_url: NatsUrl = "nats://127.0.0.1:4222"

    profile: Annotated[Path, AfterValidator(is_file)]
    """The company profile (TOML)."""

    ops_host: str = "127.0.0.1"
    ops_port: Port = 0
    """Where /healthz, /readyz and /metrics of this process listen; 0: a free port."""
    ops_port_file: Path | None = None
    """Gets the chosen port as text once it listens."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    strict_telemetry: bool = False
    """Raise, instead of leaving out, what may not be logged or traced. For tests."""

    default_deadline_seconds: Seconds = 10
    """For requests that carry no deadline."""
    stop_grace_seconds: Seconds = 10
    """How long running requests may go on after SIGTERM."""

    llm: Literal["none", "openai", "anthropic"] = "none"


class OtelSettings(BaseSettings):
    """The standard `OTEL_*` variables that decide whether spans are made at all; the SDK reads the others."""

    model_config = SettingsConfigDict(
        env_prefix="OTEL_", frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    sdk_disabled: bool = False
    traces_exporter: str = "otlp"
    exporter_otlp_endpoint: str | None = None
    exporter_otlp_traces_endpoint: str | None = None

    @property
    def exports_traces(self) -> bool:
        """Whether somebody has asked for traces: an endpoint is set and nothing switches it off."""
        has_endpoint = bool(self.exporter_otlp_endpoint or self.exporter_otlp_traces_endpoint)
        return has_endpoint and not self.sdk_disabled and self.traces_exporter != "none"


def load_settings(kind: type[S]) -> S:
    """Read settings from the environment; raises `ConfigurationError` naming every wrong variable."""
    try:
        return kind()
    except ValidationError as error:
        raise ConfigurationError(describe_settings_error(kind, error)) from error
    except SettingsError as error:
        raise ConfigurationError(_one_line(str(error))) from error


def describe_settings_error(kind: type[BaseSettings], error: ValidationError) -> str:
    """One line with every variable that is missing or wrong, without its value."""
    details = error.errors(include_url=False, include_input=False)
    return "; ".join(_problem(kind, detail) for detail in details)


def _problem(kind: type[BaseSettings], detail: ErrorDetails) -> str:
    reason = _one_line(reason_of(detail))
    if not detail["loc"]:  # a rule over several variables names them itself
        return reason
    return f"{_variable(kind, detail['loc'])}: {reason}"


def _variable(kind: type[BaseSettings], location: tuple[int | str, ...]) -> str:
    name = str(location[0])
    field = kind.model_fields.get(name)
    alias = field.validation_alias if field else None
    if isinstance(alias, str):
        return alias
    if field is None:  # the location is already an alias
        return name
    return f"{kind.model_config.get('env_prefix', '')}{name}".upper()


def _one_line(text: str) -> str:
    return " ".join(text.split())
