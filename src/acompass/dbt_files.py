"""The files of a policy for a dbt project."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acompass.result import Note


@dataclass(frozen=True, slots=True)
class DbtFiles:
    """`files` has the text of each file by its path in the project. `tested` is the model that the tests are
    about. `variables` has the variables of dbt that set parameters, with the values that they have otherwise.
    `notes` say which lines have no test, and why.

    Where a project was given, `changed` are the files that were written, or would be, and `removed` those of
    lines that the policy no longer has. `others` are Python models of the same policy that earlier calls
    have written, which dbt goes on to build.
    """

    files: Mapping[str, str] = field(repr=False)
    tested: str
    tests: tuple[str, ...]
    variables: Mapping[str, int]
    notes: tuple[Note, ...]
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def is_current(self) -> bool:
        """Whether the project already has these files, and no others for the policy."""
        return not (self.changed or self.removed)

    def to_json(self) -> dict[str, Any]:
        return {
            "tested": self.tested,
            "tests": list(self.tests),
            "files": list(self.files),
            "changed": list(self.changed),
            "removed": list(self.removed),
            "others": list(self.others),
            "variables": dict(self.variables),
            "notes": [{"line": note.line, "text": note.text} for note in self.notes],
        }
