"""`idempotent`: running the policy on its own output changes nothing."""

from dataclasses import replace

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.compare.asking import Asking, between_runs, proved, refuted, undecided, undecided_between_runs
from acompass.compare.flow import of_all
from acompass.diagnostics import PolicyError
from acompass.prove.proof import Claim
from acompass.syntax.walk import names_dropped, parameter_names, step_of, steps

_SAME = "no line changes anything in a second run"


def idempotent(asking: Asking) -> Claim:
    """The policy once, compared with the policy twice."""
    pairs = asking.pairs(asking.source)
    try:
        twice = [replace(pair, new=_twice(asking, pair.new)) for pair in pairs]
    except PolicyError as error:
        return undecided(f"the policy cannot be run on its own output: {error.diagnostics[0].message}")
    found = of_all([asking.after_assumptions(pair) for pair in twice])
    if found.difference is not None:
        return refuted("", between_runs(found.difference, "after a second run"))
    return proved(_SAME) if found.is_equivalent else undecided_between_runs()


def _twice(asking: Asking, program: Program) -> Program:
    """A second run names the columns that are left. What is dropped need not be dropped again (D32)."""
    tree = asking.source.tree
    lines = tuple(each for each in steps(tree) if not any(names_dropped(step_of(each))))
    again = replace(tree, requirements=lines)
    used = parameter_names(again)
    own = {name: value for name, value in asking.given.params.items() if name in used}
    second, problems = check(again, asking.source.text, program.final_schema, own)
    if second is None:
        raise PolicyError(problems, asking.source.text)
    return replace(program, requirements=(*program.requirements, *second.requirements))
