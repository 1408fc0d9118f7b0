"""No way of writing a competitor's name gets it past the gate: refused, or asked to rephrase."""

import pytest

from domain.screening import screen
from services.intent.parser import RuleIntentParser
from tests.support.disguises import DISGUISES
from tests.support.profiles import REFERENCE_DATE, acme

ALIASES = [(display, alias) for display, aliases in acme().competitors.items() for alias in aliases]
PARSER = RuleIntentParser(acme())


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_competitor_is_named_or_the_writing_is_suspicious(disguise: str) -> None:
    missed = []
    for display, alias in ALIASES:
        screening = screen(f"2024年{DISGUISES[disguise](alias)}营收", acme())
        if display not in screening.names and not screening.suspicious:
            missed.append(alias)

    assert missed == []


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_competitor_is_never_read_as_an_entity_of_ours(disguise: str) -> None:
    for _, alias in ALIASES:
        parsed = PARSER.parse(f"2024年{DISGUISES[disguise](alias)}营收", reference_date=REFERENCE_DATE)

        assert parsed.entities == ()
