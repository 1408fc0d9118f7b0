"""The narrative worker as a process: ready once its index is built, and gone without a fault when it is stopped."""

from pathlib import Path

import pytest

from contracts import subjects
from contracts.codes import NothingFound
from contracts.v1.narrative import LoadPassages, Passages, PassagesLoaded, SearchPassages
from runtime.deadline import Deadline
from tests.integration.gateway.processes import behind, running_service
from tests.support.answers import sample_profile
from tests.support.passages import passage

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]


async def test_answers_from_what_it_was_given_and_stops_cleanly(nats_url: str, database: str, tmp_path: Path) -> None:
    with running_service("narrative", nats_url, tmp_path, RAGSPINE_POSTGRES_URL=database) as worker:
        worker.until_ready()
        async with behind(nats_url) as bus:
            soon = Deadline.after(5)
            wanted = SearchPassages(question="为什么客流回落", profile_digest=sample_profile().digest())
            empty = await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=soon)
            rows = LoadPassages(passages=(passage(), passage("绝密", locator="p4", sensitivity="RESTRICTED")))
            loaded = await bus.request(subjects.NARRATIVE_LOAD, rows, PassagesLoaded, deadline=soon)
            found = await bus.request(subjects.NARRATIVE_SEARCH, wanted, Passages, deadline=soon)
        metrics = worker.get("/metrics")[1]
        worker.terminate()

        assert worker.wait() == 0
    assert empty == Passages(material_loaded=False, nothing_found=NothingFound.NO_MATERIAL)
    assert (loaded.inserted, loaded.closed) == (2, 1)
    assert [item.locator for item in found.passages] == ["p3"]
    assert "ragspine_passages_indexed 1.0" in metrics
