import pytest

from runtime.settings import ConfigurationError
from services.orchestrator.app import configure, make_provider
from tests.support.answers import SAMPLE_PROFILE


@pytest.fixture(autouse=True)
def _sample_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(SAMPLE_PROFILE))


def test_without_further_settings_it_answers_without_a_model() -> None:
    settings, _ = configure()

    assert settings.llm == "none"


@pytest.mark.parametrize("llm", ["openai", "anthropic"])
def test_a_protocol_without_a_model_stops_the_start_by_the_name_of_the_variable(
    llm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_LLM", llm)

    with pytest.raises(ConfigurationError, match="RAGSPINE_LLM_MODEL"):
        configure()


@pytest.mark.parametrize("llm", ["openai", "anthropic"])
def test_each_protocol_has_a_provider_that_names_it(llm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LLM": llm, "LLM_MODEL": "m-1", "LLM_API_KEY": "k"}.items():
        monkeypatch.setenv(f"RAGSPINE_{name}", value)

    provider = make_provider(configure()[0])

    assert provider is not None
    assert (provider.name, provider.model) == (llm, "m-1")


def test_an_unknown_way_with_numbers_in_prose_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PROSE_NUMBERS", "keep")

    with pytest.raises(ConfigurationError, match="RAGSPINE_PROSE_NUMBERS"):
        configure()


@pytest.mark.parametrize("name", ["INTENT", "FACTS", "NARRATIVE"])
def test_a_wrong_budget_stops_the_start_by_the_name_of_the_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = f"RAGSPINE_{name}_TIMEOUT_SECONDS"
    monkeypatch.setenv(variable, "0")

    with pytest.raises(ConfigurationError, match=variable):
        configure()
