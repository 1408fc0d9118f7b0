"""Settings of webhooks. They are off until an operator lists hosts and gives a secret."""

from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator

from runtime.settings import BaseEnvironment, Seconds, is_file
from services.gateway.asks.webhooks.signing import Secrets
from services.gateway.asks.webhooks.targets import HostList

GIVEN_BY: Final = "RAGSPINE_WEBHOOK_SECRET or RAGSPINE_WEBHOOK_SECRET_FILE"
"""The two ways to give a secret, as errors name them."""


class WebhookSettings(BaseEnvironment):
    """Who may be told that an ask has ended, and how often that is tried."""

    webhook_hosts: str = ""
    """Hosts that may be told, `host` or `host:port`, separated by commas; none: no webhooks."""
    webhook_private_hosts: str = ""
    """Of these, the hosts that may have an address of a private network."""
    webhook_secret: SecretStr | None = None
    """Signs webhooks. Several, one a line: all sign, for as long as receivers change over."""
    webhook_secret_file: Annotated[Path, AfterValidator(is_file)] | None = None
    """Read instead of `webhook_secret`; a line `app:secret` is for one app only."""
    webhook_attempts: Annotated[int, Field(ge=1, le=100)] = 16
    """How often a webhook is sent at most, within about eight hours; then it is given up."""
    webhook_timeout_seconds: Annotated[Seconds, Field(le=30)] = 10
    """For one attempt as a whole."""

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        for name, read in (("HOSTS", self.webhook_targets), ("SECRET", self.webhook_secrets)):
            try:
                read()
            except ValueError as error:
                raise ValueError(f"RAGSPINE_WEBHOOK_{name}: {error}") from None
        if self.webhook_targets().listed and self.webhook_secrets().is_empty:
            raise ValueError(f"{GIVEN_BY}: one of them must be set where RAGSPINE_WEBHOOK_HOSTS is")
        return self

    def webhook_targets(self) -> HostList:
        """The hosts as they are compared."""
        return HostList.parse(self.webhook_hosts, self.webhook_private_hosts)

    def webhook_secrets(self) -> Secrets:
        """The secrets, read now."""
        if self.webhook_secret_file is not None:
            return Secrets.parse(self.webhook_secret_file.read_text(encoding="utf-8"))
        return Secrets.parse(self.webhook_secret.get_secret_value()) if self.webhook_secret else Secrets()
