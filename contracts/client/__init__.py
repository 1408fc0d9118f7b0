"""Clients for apps: a question in, a typed answer out, over NATS or HTTP. See docs/for-apps.md.

Every request carries its deadline as a time of the clock, and `ask` is over by then, with the answer or with a
`ClientError`. A failure that says it may pass is tried once more where that fits: asking changes nothing. In an outage
retries stop by themselves, because only a tenth of the asks may be repeated.
"""

from .asking import Client
from .errors import ClientError
from .over_http import HttpClient
from .over_nats import NatsClient

__all__ = ["Client", "ClientError", "HttpClient", "NatsClient"]
