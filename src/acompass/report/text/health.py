"""The state of an installation as text, in aligned columns."""

from collections.abc import Iterator, Sequence

from acompass.health import Finding, Health, State
from acompass.report.text.style import BOLD, GREEN, PLAIN, RED, Style

_TINTS = {State.WORKS: GREEN, State.MISSING: "", State.BROKEN: RED}


def health_text(health: Health, style: Style = PLAIN) -> str:
    sections = {
        "libraries": health.libraries,
        "optional parts": health.parts,
        "engines": health.engines,
        "files": health.files,
        "machine": health.machine,
    }
    width = max(len(finding.name) for findings in sections.values() for finding in findings)
    return "\n".join(
        [
            f"acompass {health.acompass}, Python {health.python}, {health.platform}",
            *(
                line
                for heading, findings in sections.items()
                for line in _section(heading, findings, width, style)
            ),
            "",
            _summary(health),
        ]
    )


def _section(heading: str, findings: Sequence[Finding], width: int, style: Style) -> Iterator[str]:
    yield from ("", style.tinted(heading, BOLD))
    for finding in findings:
        state = style.tinted(f"{finding.state:<7}", _TINTS[finding.state])
        advice = "" if finding.help is None else f"; {finding.help}"
        yield f"  {finding.name:<{width}}  {state}  {finding.detail}{advice}"


def _summary(health: Health) -> str:
    broken = ", ".join(dict.fromkeys(finding.name for finding in health.broken()))
    missing = ", ".join(part.name for part in health.parts if part.state is State.MISSING)
    works = f"broken: {broken}" if broken else "everything that is installed works"
    return f"{works}; missing: {missing}" if missing else works
