"""The list of origins whose web pages may call."""

from urllib.parse import urlsplit


def parse_origins(text: str) -> frozenset[str]:
    """Origins separated by commas, as browsers send them. Raises `ValueError` for what is none, `*` included."""
    origins = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not all(map(_is_origin, origins)):
        raise ValueError("must be origins such as https://app.example.com, separated by commas; * is none")
    return origins


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_whole = text == f"{parts.scheme}://{parts.netloc}" and parts.port != 0
    except ValueError:
        return False
    is_plain = text.isascii() and text == text.lower() and "@" not in text and "*" not in text
    return is_whole and is_plain and parts.scheme in {"http", "https"} and bool(parts.hostname)
