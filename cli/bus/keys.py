# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# (nkeys declares no types)
"""NKeys of the bus: made here, kept by whoever signs. The server reads the public half only."""

import base64
import binascii
import secrets
from typing import Any, Final

import nkeys

_SEED_BYTES: Final = 32
_PUBLIC_KEY_CHARS: Final = 56
_CHECKSUM_BYTES: Final = 2
_USER: Final = 20 << 3  # the first byte of a user's key: it makes its text start with U


def is_public_key(text: str) -> bool:
    """Whether a text is the public NKey of a user, its checksum included."""
    try:
        raw = base64.b32decode(text)
    except ValueError:
        return False
    if len(text) != _PUBLIC_KEY_CHARS or raw[0] != _USER:
        return False
    return int.from_bytes(raw[-_CHECKSUM_BYTES:], "little") == binascii.crc_hqx(raw[:-_CHECKSUM_BYTES], 0)


def new_key() -> tuple[str, str]:
    """A new seed, and its public key."""
    seed = nkeys.encode_seed(secrets.token_bytes(_SEED_BYTES), _USER)
    pair: Any = nkeys.from_seed(bytearray(seed))
    return seed.decode(), pair.public_key.decode()
