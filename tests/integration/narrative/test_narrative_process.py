"""The narrative worker as a process: ready, honest, and gone without a fault when it is stopped."""

from pathlib import Path

import pytest

from contracts import subjects
from contracts.v1.narrative import Passages, SearchPassages
from runtime.deadline import Deadline
from tests.integration.gateway.processes import behind, running_service
from tests.support.answers import sample_profile

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


async def test_answers_that_no_material_is_loaded_and_stops_cleanly(nats_url: str, tmp_path: Path) -> None:
    with running_service("narrative", nats_url, tmp_path) as worker:
        worker.until_ready()
        async with behind(nats_url) as bus:
            wanted = SearchPassages(question="为什么", profile_digest=sample_profile().digest())
            found = await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=Deadline.after(5))
        metrics = worker.get("/metrics")[1]
        worker.terminate()

        assert worker.wait() == 0
    assert found == Passages(material_loaded=False)
    assert 'subject="ragspine.v1.narrative.search"' in metrics
