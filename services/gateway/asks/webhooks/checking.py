"""What an app hears when it hands in an ask whose end nobody could be told."""

from collections.abc import Callable

from contracts.v1.errors import FieldProblem
from runtime.errors import InvalidRequestError
from services.gateway.asks.webhooks.settings import GIVEN_BY, WebhookSettings
from services.gateway.asks.webhooks.targets import FIELD

_UNSIGNED = f"there is no secret to sign webhooks for this app: the operator adds one to {GIVEN_BY}"


def webhook_check(settings: WebhookSettings) -> Callable[[str, str], None]:
    """Refuses, for an app and a URL, what could not be sent; raises `InvalidRequestError`, which repeats nothing."""
    hosts, secrets = settings.webhook_targets(), settings.webhook_secrets()

    def check(app: str, url: str) -> None:
        hosts.target(url)
        if not secrets.of(app):
            raise InvalidRequestError(problems=(FieldProblem(field=FIELD, reason=_UNSIGNED),))

    return check
