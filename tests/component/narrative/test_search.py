"""`ragspine.v1.narrative.search`: an honest worker without material."""

import pytest

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.narrative import Passages, SearchPassages
from runtime.deadline import Deadline
from runtime.errors import AskError
from runtime.metrics import Metrics
from runtime.testing import InMemoryBus
from services.narrative.handlers import make_router
from services.narrative.observing import Observed


async def search(wanted: SearchPassages, metrics: Metrics | None = None) -> Passages:
    bus = InMemoryBus(make_router("0123456789abcdef", Observed(metrics or Metrics())))
    return await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=Deadline.after(5))


async def test_says_that_no_material_is_loaded() -> None:
    found = await search(SearchPassages(question="为什么", entities=("ACME_CN",), profile_digest="0123456789abcdef"))

    assert found == Passages(passages=(), material_loaded=False)


async def test_refuses_a_caller_with_another_profile() -> None:
    with pytest.raises(AskError) as caught:
        await search(SearchPassages(question="为什么", profile_digest="other"))

    assert (caught.value.code, caught.value.retryable) == (ErrorCode.PROFILE_MISMATCH, True)


async def test_searches_are_counted_by_outcome() -> None:
    metrics = Metrics()

    await search(SearchPassages(question="为什么", profile_digest="0123456789abcdef"), metrics)

    assert metrics.registry.get_sample_value("ragspine_searches_total", {"outcome": "no_material"}) == 1
