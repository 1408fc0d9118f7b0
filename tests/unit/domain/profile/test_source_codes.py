"""A stored code belongs to one metric."""

from pathlib import Path

import pytest

from domain.profile import ProfileError, load_profile

COMPANY = '[company]\nname = "T"\ndefault_entity = "E"\n[entities.E]\n'


def load(folder: Path, metrics: str) -> None:
    path = folder / "profile.toml"
    path.write_text(COMPANY + metrics, encoding="utf-8")
    load_profile(path)


@pytest.mark.parametrize(
    "metrics",
    [
        '[metrics.SALES]\nunit = "EUR"\nsource_codes = ["MARGIN"]\n[metrics.MARGIN]\nunit = "PCT"\n',
        '[metrics.SALES]\nunit = "EUR"\nsource_codes = ["OLD"]\n[metrics.TURN]\nunit = "PCT"\nsource_codes = ["OLD"]\n',
    ],
)
def test_a_stored_code_of_two_metrics_is_refused(tmp_path: Path, metrics: str) -> None:
    with pytest.raises(ProfileError, match="is a stored code of"):
        load(tmp_path, metrics)


def test_a_metric_may_gather_codes_of_its_own(tmp_path: Path) -> None:
    load(tmp_path, '[metrics.SALES]\nunit = "EUR"\nsource_codes = ["SALES", "OLD"]\n')
