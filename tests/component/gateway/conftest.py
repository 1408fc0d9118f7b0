from collections.abc import AsyncGenerator

import pytest

from tests.component.gateway.doors import Doors, open_doors


@pytest.fixture
async def doors() -> AsyncGenerator[Doors]:
    async with open_doors() as opened:
        yield opened
