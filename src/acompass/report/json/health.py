"""The state of an installation as the object that `doctor --json` prints."""

from collections.abc import Iterable

from acompass.health import Finding, Health


def health_object(health: Health) -> dict[str, object]:
    return {
        "ok": health.ok,
        "acompass": health.acompass,
        "python": health.python,
        "platform": health.platform,
        "libraries": _findings(health.libraries),
        "parts": _findings(health.parts),
        "engines": _findings(health.engines),
        "files": _findings(health.files),
        "machine": _findings(health.machine),
    }


def _findings(findings: Iterable[Finding]) -> list[dict[str, str | None]]:
    return [
        {"name": each.name, "state": each.state, "detail": each.detail, "help": each.help}
        for each in findings
    ]
