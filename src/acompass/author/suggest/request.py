"""The request for a search: its goal and limits, the columns it names, and where the policy may be written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from acompass.author.suggest.policy_tree import Goal
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.program.types import Names
from acompass.measure.hierarchy import ByFile, Spec, parse_specs
from acompass.measure.roles import Roles, positions
from acompass.options import LINES, MOST_LOST, HierarchiesArgument, ImportanceArgument, SuggestOptions
from acompass.policy import TableRoles
from acompass.prove.proof import parse_deadline
from acompass.tables.output import require_no_hierarchy, require_policy_place

Style: TypeAlias = Literal["cascade", "uniform", "stars"]
STYLES: tuple[Style, ...] = ("cascade", "uniform", "stars")
ALL = "all"
#: how much a search weighs the loss of a column, by name; 1 is normal
IMPORTANCE = {"high": 20.0, "normal": 1.0, "low": 0.05}

_LEAST_WEIGHT = 0.001

_SHARE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,30})?)\s*(%?)")


@dataclass(frozen=True)
class Request:
    qi: tuple[str, ...]
    k: int
    sensitive: tuple[str, ...]
    l: int | None  # noqa: E741
    t: Fraction | None
    hierarchies: HierarchiesArgument
    max_lost: Fraction
    lines: int
    seconds: float | None
    change_last: tuple[str, ...]
    importance: ImportanceArgument
    styles: tuple[Style, ...]  # several are compared
    compare: bool
    person: str | None = None
    drops_person: bool = False

    @property
    def needs_sensitive(self) -> bool:
        return self.l is not None or self.t is not None


def make_request(qi: Sequence[str], k: int, options: SuggestOptions, roles: TableRoles) -> Request:
    """Convert the arguments of a call. Raise if no table, or every table, could satisfy the request.

    The policy drops the person column, unless its role is `other`: whoever has it can tell persons apart."""
    t, deadline, lines = options["t"], options["deadline"], options["lines"]
    request = Request(
        qi=tuple(qi),
        k=k,
        sensitive=tuple(options["sensitive"] or ()),
        l=options["l"],
        t=None if t is None else _fraction(str(t), f"`{t}` is not a number from 0 to 1", option_text("t", 0.2)),
        hierarchies=options["hierarchies"] or (),
        max_lost=share(str(options["max_lost"] or MOST_LOST)),
        lines=LINES if lines is None else lines,
        seconds=None if deadline is None else parse_deadline(deadline),
        change_last=tuple(options["change_last"] or ()),
        importance=options["importance"] or (),
        styles=STYLES if options["style"] == ALL else (_style(options["style"]),),
        compare=options["compare"],
        person=roles.person,
        drops_person=roles.person is not None and not Names(roles.other).find(roles.person),
    )
    _require_sense(request)
    return request


def _style(text: str) -> Style:
    for style in STYLES:
        if style == text:
            return style
    raise invalid(f"unknown style `{text}`", f"use one of {', '.join(f'`{style}`' for style in (*STYLES, ALL))}")


def share(text: str) -> Fraction:
    return _fraction(text, f"`{text}` is not a share of the records", "write for example `5%`")


def _fraction(text: str, problem: str, help_: str) -> Fraction:
    """Parse `5%` or `0.05`."""
    found = _SHARE.fullmatch(text.strip())
    if found is None or (part := Fraction(found[1]) / (100 if found[2] else 1)) > 1:
        raise invalid(problem, help_)
    return part


def _require_sense(request: Request) -> None:
    if not request.qi:
        raise CallError(
            [Diagnostic("AC601", "no quasi-identifiers", help=f"name them: `{option_text('qi', ['Age', 'Zip'])}`")]
        )
    _at_least("k", request.k, 2)
    _at_least("lines", request.lines, 1)
    if request.compare and len(request.styles) > 1:
        style = option_text("style", request.styles[0])
        raise invalid(f"`{option_text('compare')}` compares the lines of one style", f"name it, as in `{style}`")
    if request.l is not None:
        _at_least("l", request.l, 2)
    if request.t is not None and not 0 < request.t < 1:
        raise invalid(f"`{option_text('t')}` is not between 0 and 1", option_text("t", 0.2))
    if request.seconds is not None and not request.seconds > 0:
        raise invalid(f"`{option_text('deadline')}` is not above 0", option_text("deadline", 10))
    if request.needs_sensitive and not request.sensitive:
        goal = "l" if request.l is not None else "t"
        message = f"`{goal}` needs a sensitive column"
        help_ = f"name it: `{option_text('sensitive', ['Disease'])}`"
        raise CallError([Diagnostic("AC622", message, help=help_)])


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        message = f"`{option_text(name)}` is {value:,}, expected at least {least}"
        raise invalid(message, option_text(name, least))


def invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC621", message, help=help_)])


@dataclass(frozen=True)
class Columns:
    """Columns as positions in the table."""

    names: tuple[str, ...]  # of all columns of the table
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    specs: Mapping[int, Spec]
    importance: Mapping[int, float]  # by place in `quasi_identifiers`
    person: int | None = None

    def goal(self, request: Request) -> Goal:
        quasi_identifiers, sensitive = (
            tuple(self.names[p] for p in places) for places in (self.quasi_identifiers, self.sensitive)
        )
        person = None if self.person is None else self.names[self.person]
        return Goal(quasi_identifiers, sensitive, request.k, request.l, self.names, person, request.drops_person)


def find_columns(request: Request, names: Sequence[str]) -> Columns:
    """Raise if a name is unknown or has two roles. Omit sensitive columns that the goal does not need."""
    found = positions(Roles(request.qi, request.sensitive, person=request.person), names)
    quasi_identifiers = [names[position] for position in found.quasi_identifiers]
    specs = parse_specs(request.hierarchies, quasi_identifiers)
    return Columns(
        tuple(names),
        found.quasi_identifiers,
        found.sensitive if request.needs_sensitive else (),
        {found.quasi_identifiers[place]: spec for place, spec in specs.items()},
        dict(_importance(request, Names(quasi_identifiers))),
        found.person,
    )


def _importance(request: Request, quasi_identifiers: Names) -> Iterator[tuple[int, float]]:
    for name in request.change_last:
        yield _place("change_last", name, quasi_identifiers), IMPORTANCE["high"]
    given = request.importance
    if isinstance(given, Mapping):
        pairs = [(name, str(level)) for name, level in given.items()]
    else:
        texts = (given,) if isinstance(given, str) else given
        pairs = [_split_importance(text, quasi_identifiers) for text in texts]
    for name, level in pairs:
        yield _place("importance", name, quasi_identifiers), _weight(name, level)


def _split_importance(text: str, quasi_identifiers: Names) -> tuple[str, str]:
    found = quasi_identifiers.before_equals(text)
    if found is None:
        message = f"expected a column and its importance, found `{text}`"
        raise invalid(message, f"write for example `{option_text('importance', {text: 'high'})}`")
    return found


def _weight(name: str, level: str) -> float:
    with suppress(ValueError):
        weight = IMPORTANCE[level] if level in IMPORTANCE else float(level)
        if _LEAST_WEIGHT <= weight <= 1 / _LEAST_WEIGHT:
            return weight
    message = f"importance `{level}` of `{name}` is not `high`, `normal`, `low` or a number from 0.001 to 1,000"
    raise invalid(message, option_text("importance", {name: "high"}))


def _place(option: str, name: str, quasi_identifiers: Names) -> int:
    match quasi_identifiers.find(name):
        case (place,):
            return place
        case _:
            message = f"`{option_text(option)}` names `{name}`, which is not a quasi-identifier"
            help_ = f"quasi-identifiers: {quasi_identifiers.listing()}"
            raise CallError([Diagnostic("AC623", message, help=help_)])


def require_other_files(path: str | None, table: Any, columns: Columns) -> None:
    """Raise, before anything is read, if the policy's folder does not exist or it would replace an input."""
    if path is None:
        return
    require_policy_place(path, table)
    files = (spec.path for spec in columns.specs.values() if isinstance(spec, ByFile))
    require_no_hierarchy(path, files)
