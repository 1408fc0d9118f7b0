"""The sample's vetted answers can be imported, and each of their wordings is served."""

from pathlib import Path

from contracts.v1.faq import FaqItems
from services.gateway.faq.items import problems_of
from services.gateway.faq.vetted import Hit
from tests.support.profiles import acme
from tests.support.vetted import VettedHere, item

SAMPLE = Path(__file__).parents[3] / "deploy/sample/faq.json"


async def test_every_wording_of_the_sample_is_served() -> None:
    items = FaqItems.model_validate_json(SAMPLE.read_text(encoding="utf-8")).items
    vetted = VettedHere(acme())
    await vetted.keep(*(item(one.question, id=one.id, aliases=one.aliases, answer=one.answer) for one in items))

    wordings = [wording for one in items for wording in (one.question, *one.aliases)]

    assert [problem for one in items for problem in problems_of(one, acme())] == []
    assert [w for w in wordings if not isinstance(await vetted.shortcut.find(vetted.question(w)), Hit)] == []
