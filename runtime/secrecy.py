"""Which secrets are refused at the start: none at all, too short, or one that every attacker tries first. Pure."""

from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

SHORTEST: Final = 8
KNOWN: Final = frozenset(
    {
        "12345678", "123456789", "1234567890", "11111111", "00000000", "qwertyui", "qwertyuiop", "abcd1234", "letmein1",
        "password", "passw0rd", "password1", "password123", "passwort", "changeme", "change-me", "change_me",
        "changeit", "changethis", "change-this", "change_this", "replaceme", "replace-me", "replace_me", "postgres",
        "postgresql", "ragspine", "administrator", "adminadmin", "admin123", "root1234", "toor1234", "rootroot",
        "redisredis", "redispass", "foobared", "natsnats", "test1234", "testtest", "testing1", "example1",
        "examplepassword", "default1", "defaultpassword", "secret12", "secret123", "supersecret", "topsecret",
        "mysecretpassword", "mypassword", "yourpassword", "your-password", "your_password", "your_password_here",
        "yourpasswordhere", "s3cr3tpassw0rd", "sk-xxxx", "sk-xxxxxxxx", "your-api-key", "your_api_key", "yourapikey",
        "your-api-key-here", "your_api_key_here", "insert-key-here", "api-key-here", "placeholder",
    }
)  # fmt: skip
"""Words of examples, tutorials and images, in lower case; shorter ones are refused for their length."""


def weakness(secret: str) -> str | None:
    """Why a secret is refused, as the end of a sentence; None for one that may be good."""
    if not secret.strip():
        return "is empty"
    if is_known(secret):
        return "is one that everybody knows"
    if len(secret) < SHORTEST:
        return f"is shorter than {SHORTEST} characters"
    if len(set(secret)) == 1:
        return "is one character again and again"
    return None


def is_known(secret: str) -> bool:
    """Whether it is a word of examples or of lists of passwords."""
    return secret.strip().lower() in KNOWN


def passwords_in(url: str) -> list[str]:
    """The passwords that an address carries, empty ones included: before the host, or as a parameter."""
    address = urlsplit(url)
    user_info = address.netloc.rpartition("@")[0]
    _, colon, password = user_info.partition(":")
    inside = [unquote(password)] if colon else []
    parameters = parse_qs(address.query, keep_blank_values=True)
    return [*inside, *parameters.get("password", [])]
