"""What the workers really serve is what the contracts say they serve."""

import importlib
import inspect
from unittest.mock import MagicMock

import pytest

from runtime.serving import operations
from scripts.contract_operations import CALLS, Call

SERVICES = sorted({call.service for call in CALLS})


def _served(service: str) -> set[tuple[str, str, str, str]]:
    """Subject, queue, request and reply of everything that a worker's router offers; its resources are never used."""
    make_router = importlib.import_module(f"services.{service}.handlers").make_router
    parameters = inspect.signature(make_router).parameters.values()
    resources = {p.name: 1 if p.annotation is int else MagicMock() for p in parameters if p.default is p.empty}
    router = make_router(**resources)
    return {(op.subject, op.queue, op.request.__name__, op.reply.__name__) for op in operations(router)}


def _promised(call: Call) -> tuple[str, str, str, str]:
    return call.subject, call.queue, call.request.__name__, call.reply.__name__


@pytest.mark.parametrize("service", SERVICES)
def test_a_worker_serves_exactly_what_the_contracts_promise(service: str) -> None:
    promised = {_promised(call) for call in CALLS if call.service == service}

    assert _served(service) == promised
