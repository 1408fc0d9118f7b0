import pytest

from runtime.settings import ConfigurationError
from services.orchestrator.app import configure
from tests.support.answers import SAMPLE_PROFILE


@pytest.fixture(autouse=True)
def _sample_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PROFILE))


def test_without_further_settings_it_answers_without_a_model() -> None:
    settings, _ = configure()

    assert settings.llm == "none"


@pytest.mark.parametrize("llm", ["openai", "anthropic"])
def test_a_model_that_is_not_there_yet_stops_the_start_by_the_name_of_the_variable(
    llm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_LLM", llm)

    with pytest.raises(ConfigurationError, match="RAGSPINE_LLM"):
        configure()


@pytest.mark.parametrize("name", ["INTENT", "FACTS", "NARRATIVE"])
def test_a_wrong_budget_stops_the_start_by_the_name_of_the_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = f"RAGSPINE_{name}_TIMEOUT_SECONDS"
    monkeypatch.setenv(variable, "0")

    with pytest.raises(ConfigurationError, match=variable):
        configure()
