"""`order of 3, 5`: whether two lines of a policy can be exchanged."""

from dataclasses import replace

from acompass.compare.asking import Asking, between_runs, proved, refuted, undecided, undecided_between_runs
from acompass.compare.flow import of_all
from acompass.compare.pairs import Source
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.diagnostics.source import Source as Lines
from acompass.prove.proof import Claim
from acompass.syntax import tree
from acompass.syntax.tree import place_of

_SAME = "in either order, the lines leave the same of every table"


def exchangeable(asking: Asking, first: int, second: int) -> Claim:
    """The policy as it stands, compared with the policy in which the two lines have changed places."""
    lines = _by_line(asking.source)
    policy = _exchanged(asking.source.tree, _at(lines, first), _at(lines, second))
    try:
        pairs = asking.pairs(replace(asking.source, tree=policy))
    except PolicyError as error:
        return undecided(f"exchanged, the lines are not a valid policy: {error.diagnostics[0].message}")
    found = of_all([asking.after_assumptions(pair) for pair in pairs])
    if found.difference is not None:
        return refuted("", between_runs(found.difference, "after the lines are exchanged"))
    return proved(_SAME) if found.is_equivalent else undecided_between_runs()


def _by_line(source: Source) -> dict[int, int]:
    """The requirement that begins at each line, by its position; a THEN belongs to its assertion."""
    lines, found = Lines(source.text), dict[int, int]()
    for at, requirement in enumerate(source.tree.requirements):
        place = place_of(requirement.span)
        if place is not None:
            found.setdefault(lines.position(place.start)[0], at)
    return found


def _at(lines: dict[int, int], line: int) -> int:
    if line in lines:
        return lines[line]
    listed = ", ".join(map(str, lines))
    message, help_ = f"no requirement begins at line {line}", f"lines with a requirement: {listed}"
    raise CallError([Diagnostic("AC561", message, help=help_)])


def _exchanged(policy: tree.Program, first: int, second: int) -> tree.Program:
    requirements = list(policy.requirements)
    requirements[first], requirements[second] = requirements[second], requirements[first]
    return replace(policy, requirements=tuple(requirements))
