import pytest

from runtime.errors import ForbiddenError
from services.gateway.http.origins import refuse_foreign_pages

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "127.0.0.1",
        "127.0.0.1:8321",
        "[::1]:8321",
        "[::1]",
        "localhost:8321",
        "localhost.",
        "gateway:8321",
        "10.1.2.3",
    ],
)
def test_serves_programs_that_call_by_address_or_local_name(host: str | None) -> None:
    refuse_foreign_pages(host, None, NONE)


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example",
        "attacker.example:8321",
        "127.0.0.1.attacker.example",
        "ATTACKER.example.",
        "localhost.attacker.example",
        "[::1.x",
    ],
)
def test_refuses_names_that_a_stranger_can_point_here(host: str) -> None:
    with pytest.raises(ForbiddenError):
        refuse_foreign_pages(host, None, NONE)


def test_serves_names_that_the_operator_allows() -> None:
    allowed = frozenset({"ask.corp.example"})

    refuse_foreign_pages("Ask.Corp.example:443", "https://ask.corp.example", allowed)
    refuse_foreign_pages("127.0.0.1:8321", "https://ask.corp.example", allowed)


@pytest.mark.parametrize(
    ("host", "origin"), [("127.0.0.1:8321", "http://127.0.0.1:8321"), ("LOCALHOST:1", "http://localhost:1")]
)
def test_serves_its_own_pages(host: str, origin: str) -> None:
    refuse_foreign_pages(host, origin, NONE)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://attacker.example",
        "http://127.0.0.1:9999",
        "http://[",
        "http://127.0.0.1:8321@attacker.example",
        "file://",
    ],
)
def test_refuses_pages_of_other_origins(origin: str) -> None:
    with pytest.raises(ForbiddenError):
        refuse_foreign_pages("127.0.0.1:8321", origin, NONE)
