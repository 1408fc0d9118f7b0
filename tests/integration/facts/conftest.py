"""The worker's service on a database of one's own."""

from collections.abc import AsyncGenerator

import pytest

from tests.support.facts import Facts, facts_on


@pytest.fixture
async def facts(database: str) -> AsyncGenerator[Facts]:
    async with facts_on(database) as service:
        yield service
