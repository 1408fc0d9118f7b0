"""Addresses of databases are checked at the start, and never shown."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from services.facts.settings import FactsSettings
from tests.support.answers import SAMPLE_PROFILE

GOOD = "postgresql://reader:Vf8-secret-q2@db.internal:5432/ragspine"


def _settings(**values: object) -> FactsSettings:
    return FactsSettings.model_validate({"profile": Path(SAMPLE_PROFILE), **values})


@pytest.mark.parametrize(
    "url",
    [
        GOOD,
        "postgres://x/y",
        "postgresql://postgres@/postgres?host=/tmp/sockets",
        "postgresql://u@[::1]:5432/x",
        "postgresql://u@a:5432,b:5433/x",
    ],
)
def test_addresses_of_postgres_are_accepted(url: str) -> None:
    assert _settings(postgres_url=url).loader_url == url


@pytest.mark.parametrize("url", ["", "mysql://x/y", "postgresql://u@h:port/x", "postgresql://u@h:1:2/x", "/tmp/socket"])
def test_other_addresses_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        _settings(postgres_url=url)

    assert not url or url not in str(refused.value)


def test_the_loader_may_have_a_role_of_its_own() -> None:
    assert _settings(postgres_url="postgresql://r@/x", postgres_loader_url="postgresql://w@/x").loader_url.startswith(
        "postgresql://w"
    )


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(_settings(postgres_url=GOOD))


@pytest.mark.parametrize(
    "values", [{"facts_connections": 0}, {"facts_loader_connections": 1}, {"facts_query_seconds": 0}]
)
def test_bounds_that_cannot_work_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        _settings(postgres_url=GOOD, **values)
