"""The levels that a call gives for columns, in Python or as texts such as `Age=bands:5,10,20`."""

import os
from collections.abc import Mapping, Sequence

from acompass.checked.names import Names
from acompass.diagnostics import CallError, Diagnostic
from acompass.options import HierarchiesArgument
from acompass.propose.specs import Spec, parse_spec


def given_specs(given: HierarchiesArgument, quasi_identifiers: Sequence[str]) -> dict[int, Spec]:
    """The levels by position among the quasi-identifiers, whose names are those of the table."""
    columns = Names(quasi_identifiers)
    pairs = given.items() if isinstance(given, Mapping) else [_split(text, columns) for text in given]
    found: dict[int, Spec] = {}
    for name, levels in pairs:
        position = _position(columns, name)
        if position in found:
            raise _unusable(f"column `{columns.texts[position]}` has two hierarchies", "omit one of them")
        found[position] = parse_spec(os.fspath(levels))
    return found


def _split(text: str, columns: Names) -> tuple[str, str]:
    found = columns.before_equals(text)
    if found is None:
        message = f"expected a column and its levels, found `{text}`"
        raise _unusable(message, f"write for example `--hierarchy {text}=bands:5,10,20`")
    return found


def _position(columns: Names, name: str) -> int:
    match columns.find(name):
        case (position,):
            return position
        case _:
            message = f"a hierarchy is given for `{name}`, which is not a quasi-identifier"
            raise _unusable(message, f"quasi-identifiers: {columns.listing()}")


def _unusable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC616", message, help=help_)])
