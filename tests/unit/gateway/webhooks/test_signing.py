import hashlib
import hmac

import pytest

from contracts.subjects import HEADER_SIGNATURE, HEADER_TIMESTAMP
from services.gateway.asks.webhooks.signing import Secrets, signed_headers
from tests.unit.gateway.webhooks.memory import SECRET

OTHER = "Zq8-fW3kLm6_Tn1cVb5xRd0s"


def by_hand(secret: str, text: bytes) -> str:
    return "v1=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


def test_time_and_body_are_signed() -> None:
    headers = signed_headers(Secrets.parse(SECRET).of("local"), b'{"a":1}', now=1_800_000_000)

    assert headers == {
        HEADER_TIMESTAMP: "1800000000",
        HEADER_SIGNATURE: by_hand(SECRET, b'1800000000.{"a":1}'),
    }


def test_while_secrets_change_over_each_of_them_signs() -> None:
    headers = signed_headers(Secrets.parse(f"# new\n{OTHER}\n\n# old\n{SECRET}\n").of("local"), b"{}", now=7)

    assert headers[HEADER_SIGNATURE].split(",") == [by_hand(OTHER, b"7.{}"), by_hand(SECRET, b"7.{}")]


def test_an_app_with_a_secret_of_its_own_is_signed_for_with_that_one_only() -> None:
    secrets = Secrets.parse(f"{SECRET}\nsales:{OTHER}")

    assert secrets.of("sales") == (OTHER.encode(),)
    assert secrets.of("local") == (SECRET.encode(),)


def test_an_app_without_any_secret_cannot_be_told() -> None:
    secrets = Secrets.parse(f"sales:{OTHER}")

    assert secrets.of("local") == ()
    assert not secrets.is_empty
    assert Secrets().is_empty


@pytest.mark.parametrize(
    "text", ["changeme", "a" * 40, "abcabcabcabcabcabcabcabcabc", "sales:short", "two words here 123"]
)
def test_a_secret_that_can_be_guessed_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="holds a") as raised:
        Secrets.parse(text)

    assert text not in str(raised.value)


def test_secrets_are_never_shown() -> None:
    assert SECRET not in repr(Secrets.parse(SECRET))
