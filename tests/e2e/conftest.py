"""Stacks that several tests share."""

from collections.abc import Generator

import pytest

from tests.e2e.asking import load_sample
from tests.support.stacks import Stack, running_stack


@pytest.fixture(scope="module")
def stack() -> Generator[Stack]:
    """A stack with the sample company and its facts."""
    with running_stack() as running:
        load_sample(running.http_url)
        yield running
