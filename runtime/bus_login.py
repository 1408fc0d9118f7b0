"""How a process shows the bus who it is, and makes sure of the server: password or NKey, plain or TLS 1.3."""

import ssl
from typing import Any

from faststream.nats import NatsNKey, NatsUserPassword
from faststream.nats.security import NatsSecurity

from runtime.settings import ConfigurationError, NatsCredentials


def tls_context(credentials: NatsCredentials) -> ssl.SSLContext | None:
    """The context for an encrypted connection; None for a plain one. Raises `ConfigurationError` for unusable files."""
    if credentials.nats_tls_ca_file is None:
        return None
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=credentials.nats_tls_ca_file)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        if credentials.nats_tls_cert_file is not None:
            context.load_cert_chain(credentials.nats_tls_cert_file, credentials.nats_tls_key_file)
    except (ssl.SSLError, OSError):
        raise ConfigurationError("RAGSPINE_NATS_TLS_CA_FILE, …_CERT_FILE, …_KEY_FILE: not usable as such") from None
    return context


def broker_security(credentials: NatsCredentials) -> NatsSecurity | None:
    """Credentials and TLS in the words of the broker; None on a bus with neither. Raises `ConfigurationError`."""
    context, first = tls_context(credentials), credentials.nats_tls_handshake_first
    if credentials.nats_nkey_file is not None:
        return NatsNKey(credentials.nats_nkey_file, ssl_context=context, tls_handshake_first=first)
    if credentials.nats_user is not None:
        password = credentials.nats_secret() or ""
        return NatsUserPassword(credentials.nats_user, password, ssl_context=context, tls_handshake_first=first)
    return None if context is None else NatsSecurity(ssl_context=context, tls_handshake_first=first)


def connect_options(credentials: NatsCredentials) -> dict[str, Any]:
    """The same as arguments of `nats.connect`. Raises `ConfigurationError`."""
    options: dict[str, Any] = {}
    if credentials.nats_nkey_file is not None:
        options["nkeys_seed"] = str(credentials.nats_nkey_file)
    elif credentials.nats_user is not None:
        options |= {"user": credentials.nats_user, "password": credentials.nats_secret()}
    return options | tls_options(credentials)


def tls_options(credentials: NatsCredentials) -> dict[str, Any]:
    """Of these, how the server is made sure of; nothing on a plain bus. Raises `ConfigurationError`."""
    context = tls_context(credentials)
    if context is None:
        return {}
    return {"tls": context, "tls_handshake_first": credentials.nats_tls_handshake_first}
