"""Where the acompass.toml beside a policy binds a parameter."""

from dataclasses import dataclass
from pathlib import Path

from acompass.diagnostics import Span
from acompass.diagnostics.source import Source
from acompass.project import FILE
from acompass.toml_places import place_of


@dataclass(frozen=True)
class Binding:
    path: Path
    source: Source
    span: Span


def binding(policy: str | None, parameter: str) -> Binding | None:
    """None where nothing binds it, or where its name stands alone in no place of the file."""
    if policy is None:
        return None
    path = Path(policy).absolute().with_name(FILE)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    span = place_of(text, ("policy", Path(policy).name, "params", parameter))
    if span is None or text[span.start : span.end].strip("'\"") != parameter:
        return None
    return Binding(path, Source(text), span)
