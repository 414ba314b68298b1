"""The relations of a dbt project that tests and models read, and the names of what is written for them."""

import re
from dataclasses import dataclass
from pathlib import Path

from acompass.diagnostics import CallError, Diagnostic

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SOURCE = "source:"


@dataclass(frozen=True, slots=True)
class Relation:
    """`call` is dbt's function, `ref` or `source`. No part has a character that means anything to Jinja,
    Python or SQL."""

    call: str
    parts: tuple[str, ...]

    @property
    def jinja(self) -> str:
        return f"{{{{ {self._called(self.call)} }}}}"

    @property
    def python(self) -> str:
        return self._called(f"dbt.{self.call}")

    @property
    def name(self) -> str:
        """A name that is an identifier."""
        return re.sub("[^A-Za-z0-9_]", "_", "_".join(self.parts))

    def _called(self, function: str) -> str:
        parts = ", ".join(f"'{part}'" for part in self.parts)
        return f"{function}({parts})"


def relation_of(text: str) -> Relation:
    """The relation of `people`, `package.people` or `source:raw.people`."""
    is_source = text.startswith(_SOURCE)
    parts = tuple(text.removeprefix(_SOURCE).split("."))
    if not all(map(_WORD.fullmatch, parts)) or len(parts) not in ((2,) if is_source else (1, 2)):
        help_ = "a model, seed or snapshot, `people` or `package.people`, or a source, `source:raw.people`"
        raise _invalid(f"`{text}` does not name a model or a source of dbt", help_)
    return Relation("source" if is_source else "ref", parts)


def released_relation(given: str | None, model: Relation, *, is_written: bool) -> Relation:
    """The relation after the policy. If a model is written for it, the name is also that of a file."""
    name = f"{model.name}_released" if given is None else given
    if is_written and _IDENTIFIER.fullmatch(name) is None:
        help_ = "use letters, digits and `_`, such as `people_released`"
        raise _invalid(f"`{name}` cannot be the name of a model that is written", help_)
    released = relation_of(name)
    if released.parts[-1] == model.parts[-1] and released.call == model.call:
        raise _invalid(f"the released model cannot be `{name}` itself", f"`--released {name}_released`")
    return released


def policy_name(path: str) -> str:
    """The name of the policy in names of tests and variables: that of its file, as an identifier."""
    words = re.sub("[^A-Za-z0-9]+", "_", Path(path).stem).strip("_").lower()
    return words if words and not words[0].isdigit() else f"policy_{words}".rstrip("_")


def _invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC642", message, help=help_)])
