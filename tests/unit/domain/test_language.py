import pytest

from contracts.codes import Locale
from domain.language import choose_locale


@pytest.mark.parametrize(
    ("question", "locale"),
    [
        ("香港2024营收", Locale.ZH),
        ("HK 2024 revenue 多少", Locale.ZH),
        ("HK 2024 revenue", Locale.EN),
        ("qual è il profit di hong kong nel 2024", Locale.IT),
        ("ricavi dell'anno scorso", Locale.IT),
        ("REVENUE 2024", Locale.EN),
        ("", Locale.EN),
    ],
)
def test_the_language_is_that_of_the_question(question: str, locale: Locale) -> None:
    assert choose_locale(question, None, "auto") is locale


def test_a_profile_may_settle_the_language() -> None:
    assert choose_locale("香港2024营收", None, "it") is Locale.IT


def test_the_request_has_the_last_word() -> None:
    assert choose_locale("香港2024营收", Locale.EN, "it") is Locale.EN
