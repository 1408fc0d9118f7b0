import importlib
import inspect
import pkgutil

from pydantic import BaseModel

import contracts.v1
from contracts.v1.base import EdgeMessage, InternalMessage


def _defined_models() -> set[str]:
    names = [f"contracts.v1.{info.name}" for info in pkgutil.iter_modules(contracts.v1.__path__)]
    models = [
        model for name in names for _, model in inspect.getmembers(importlib.import_module(name), inspect.isclass)
    ]
    bases = (BaseModel, EdgeMessage, InternalMessage)
    return {model.__name__ for model in models if issubclass(model, BaseModel) and model not in bases}


def test_every_message_is_importable_from_v1() -> None:
    assert _defined_models() <= set(contracts.v1.__all__)


def test_every_exported_name_exists() -> None:
    assert [name for name in contracts.v1.__all__ if not hasattr(contracts.v1, name)] == []


def test_every_message_is_frozen_and_hides_its_input_in_errors() -> None:
    models = [getattr(contracts.v1, name) for name in _defined_models()]

    assert [m.__name__ for m in models if not m.model_config.get("frozen")] == []
    assert [m.__name__ for m in models if not m.model_config.get("hide_input_in_errors")] == []
