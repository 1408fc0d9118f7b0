"""The headers that every reply has, whoever makes it: pages of others cannot use it, and nothing keeps it."""

from typing import Final

from services.gateway.http.pages import CONTENT_SECURITY_POLICY

REPLY_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
TLS_ONLY: Final = (b"strict-transport-security", b"max-age=31536000")
"""For a year browsers speak TLS only to this name; said only behind TLS, for it would lock them out elsewhere."""


def reply_headers(*, is_behind_tls: bool) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of every reply of a gateway."""
    return (*REPLY_HEADERS, TLS_ONLY) if is_behind_tls else REPLY_HEADERS
