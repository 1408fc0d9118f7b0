"""Settings of the orchestrator, from `RAGSPINE_*`."""

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from runtime.settings import BaseEnvironment, OwnKey, OwnKeyFile, RuntimeSettings, Seconds
from services.orchestrator.prose_numbers import ProseNumbers


def _is_http_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError("must be http://host/path or https://host/path, without user, query or fragment")
    return value


class ModelSettings(BaseEnvironment):
    """The model beside the look-ups. Only what is set here is ever spoken to."""

    llm: Literal["none", "openai", "anthropic"] = "none"
    llm_base_url: Annotated[str, AfterValidator(_is_http_url)] | None = None
    """An endpoint that speaks the provider's protocol; default: the provider's own."""
    llm_model: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    llm_api_key: OwnKey | None = None
    llm_api_key_file: OwnKeyFile | None = None
    """Read instead of `llm_api_key`: a secret in a file does not show up in a process listing."""
    llm_timeout_seconds: Seconds = 20
    """The longest one attempt of one call may take."""
    llm_max_calls: Annotated[int, Field(ge=1, le=1_000)] = 16
    """Model calls of this process at once; more wait, within their deadline."""
    on_provider_failure: Literal["degrade", "facts"] = "degrade"
    """What an ask gets when the model fails before anything was looked up: the fixed text, or the look-up alone."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.llm != "none" and self.llm_model is None:
            raise ValueError("RAGSPINE_LLM_MODEL: must name the model when RAGSPINE_LLM is set")
        if self.llm != "none" and self.llm_base_url is None and not self.llm_secret():
            raise ValueError("RAGSPINE_LLM_API_KEY or RAGSPINE_LLM_API_KEY_FILE: one is needed")
        return self

    def llm_secret(self) -> str | None:
        """The key; None for an endpoint that needs none."""
        if self.llm_api_key_file is not None:
            return self.llm_api_key_file.read_text(encoding="utf-8").strip()
        return self.llm_api_key.get_secret_value() if self.llm_api_key else None


class OrchestratorSettings(RuntimeSettings, ModelSettings):
    """How long each worker may take at most, whatever is left of an ask's deadline."""

    intent_timeout_seconds: Seconds = 3
    """Parsing takes milliseconds; the rest is for a worker that is just being replaced."""
    facts_timeout_seconds: Seconds = 4
    narrative_timeout_seconds: Seconds = 4
    decompose: bool = False
    """Let the model split every question into sub-questions; a request may ask for it by itself."""
    prose_numbers: ProseNumbers = ProseNumbers.REMOVE
    """What happens to a number in a model's prose that no passage and no found fact supports."""
