"""What a compose file must say; each function names the services that break the rule."""

import re
from collections.abc import Callable, Iterator
from typing import Any

Services = dict[str, dict[str, Any]]
Rule = Callable[[Services], list[str]]

PUBLIC = "gateway"
LOOPBACK = re.compile(r"(\$\{[A-Z_]+:-)?127\.0\.0\.1\}?:")
TAG = re.compile(r".+:(?P<tag>[^:/]+)$")
ROOT_JOB = "init"
"""The one that may be root, because it hands each service its secrets; it has no network, and it ends."""
ROOTS_RIGHTS = {"CHOWN", "DAC_OVERRIDE", "FOWNER"}
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


def writable(services: Services) -> list[str]:
    """Services that may write to their image's files."""
    return sorted(name for name, service in services.items() if service.get("read_only") is not True)


def privileged(services: Services) -> list[str]:
    """Services with capabilities, or that could gain them."""
    return sorted(name for name, service in services.items() if _is_privileged(name, service))


def _is_privileged(name: str, service: dict[str, Any]) -> bool:
    allowed: set[str] = ROOTS_RIGHTS if name == ROOT_JOB else set()
    return (
        service.get("cap_drop") != ["ALL"]
        or not set(service.get("cap_add", [])) <= allowed
        or "no-new-privileges:true" not in service.get("security_opt", [])
        or bool(service.get("privileged"))
    )


def roots(services: Services) -> list[str]:
    """Services whose user is root, or that leave it to their image who that is."""
    return sorted(name for name, service in services.items() if name != ROOT_JOB and _is_root(service))


def _is_root(service: dict[str, Any]) -> bool:
    user = str(service.get("user", "root")).partition(":")[0]
    return not user.isdecimal() or int(user) == 0


def unbounded(services: Services) -> list[str]:
    """Services that may take all memory, make processes without end, or fill the disk with their log."""
    return sorted(
        name
        for name, service in services.items()
        if not service.get("mem_limit")
        or not 0 < service.get("pids_limit", 0) <= 1_000
        or "max-size" not in service.get("logging", {}).get("options", {})
    )


NETWORKS: dict[str, set[str]] = {
    "init": set(),
    "nats": {"bus"},
    "postgres": {"data"},
    "redis": {"data"},
    "migrate": {"bus", "data"},
    "intent": {"bus", "telemetry"},
    "facts": {"bus", "data", "telemetry"},
    "narrative": {"bus", "data", "telemetry", "models"},
    "orchestrator": {"bus", "telemetry", "models"},
    "gateway": {"edge", "bus", "data", "telemetry"},
    "cli": {"edge", "data"},
    "bus": {"bus"},
    "jaeger": {"telemetry"},
    "otel-collector": {"telemetry", "exporting"},
    "prometheus": {"telemetry", "pages"},
    "grafana": {"telemetry", "pages"},
}
"""Who is where, and nowhere else."""
OPEN = {"edge", "models", "exporting", "pages"}
"""Networks from which something outside can be reached; all others are internal."""


def misplaced(services: Services) -> list[str]:
    """Services on another network than the table says, or that it does not name."""
    return sorted(name for name, service in services.items() if _networks(service) != NETWORKS.get(name))


def _networks(service: dict[str, Any]) -> set[str] | None:
    if service.get("network_mode") == "none":
        return set()
    return set(service["networks"]) if service.get("networks") else None


def leaky_networks(networks: dict[str, dict[str, Any] | None]) -> list[str]:
    """Networks that are open and should not be."""
    return sorted(name for name, how in networks.items() if name not in OPEN and not (how or {}).get("internal"))


SECRET = re.compile(r"(PASSWORD|SECRET|TOKEN|API_KEY)$")


def inline_secrets(services: Services) -> list[str]:
    """Secrets that are written into the file, or have a default there."""
    found: list[str] = []
    for name, service in services.items():
        for variable, value in service.get("environment", {}).items():
            text = str(value)
            has_default = SECRET.search(variable) and not re.fullmatch(r"(\$\{[A-Z_]+:-\})?", text)
            if has_default or re.search(r"://[^/@\s]*:[^/@\s]+@", text):
                found.append(f"{name}: {variable}")
    return found


ACCOUNTS = ("bus", "secrets-nats")
"""Who adds accounts to the server that reads them."""


def shared_secrets(services: Services) -> list[str]:
    """Volumes of secrets that more than their own service mounts, or that it may write to."""
    mounts = [
        (name, mount.split(":"))
        for name, service in services.items()
        for mount in service.get("volumes", [])
        if mount.startswith("secrets-")
    ]
    wrong = [
        f"{name}: {m[0]}"
        for name, m in mounts
        if name != ROOT_JOB and (m[0] != f"secrets-{name}" or m[-1] != "ro") and (name, m[0]) != ACCOUNTS
    ]
    keys = [
        f"{name}: keys"
        for name, service in services.items()
        for mount in service.get("volumes", [])
        if mount.startswith("keys:")
        and name not in {ROOT_JOB, "cli"}
        and not (name == PUBLIC and mount.endswith(":ro"))
    ]
    return sorted(wrong + keys)
