"""What a compose file must say; each function names the services that break the rule."""

import re
from collections.abc import Callable, Iterator
from typing import Any

Services = dict[str, dict[str, Any]]
Rule = Callable[[Services], list[str]]

PUBLIC = "gateway"
LOOPBACK = re.compile(r"(\$\{[A-Z_]+:-)?127\.0\.0\.1\}?:")
TAG = re.compile(r".+:(?P<tag>[^:/]+)$")
SILENT = {"otel-collector"}
"""Services whose image holds one program and no shell, so that nothing in it could ask; the workers notice and count
what it does not take."""
FINISHED = "service_completed_successfully"


def _image_without_default(image: str) -> str:
    """`${RAGSPINE_IMAGE:-ragspine:1.0}` → `ragspine:1.0`."""
    return re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", image)


def loose_images(services: Services) -> list[str]:
    """Images whose tag can mean something else tomorrow; images that are built here have no registry to move in."""
    return sorted(name for name, service in services.items() if "build" not in service and _is_loose(service["image"]))


def _is_loose(image: str) -> bool:
    tag = TAG.fullmatch(_image_without_default(image))
    return tag is None or tag["tag"] in {"latest", "edge", "nightly", "main", "master"}


def one_shots(services: Services) -> set[str]:
    """Services that others wait for to finish, and those that are only run by hand."""
    conditions = [service.get("depends_on", {}) for service in services.values()]
    waited = {name for depends in conditions if isinstance(depends, dict) for name in _finished(depends)}
    return waited | {name for name, service in services.items() if service.get("profiles") and "restart" not in service}


def _finished(depends: dict[str, Any]) -> Iterator[str]:
    return (name for name, how in depends.items() if how.get("condition") == FINISHED)


def unchecked(services: Services) -> list[str]:
    """Lasting services whose health nobody asks."""
    lasting = set(services) - one_shots(services) - SILENT
    return sorted(name for name in lasting if not services[name].get("healthcheck", {}).get("test"))


def exposed(services: Services) -> list[str]:
    """Published ports other than the gateway's on loopback; what is off by default may show its pages there too."""
    found: list[str] = []
    for name, service in services.items():
        may_publish = name == PUBLIC or bool(service.get("profiles"))
        for port in service.get("ports", []):
            if not (may_publish and isinstance(port, str) and LOOPBACK.match(port)):
                found.append(f"{name}: {port}")
    return found
