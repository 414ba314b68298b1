"""Questions about a policy's tree: its comparisons, its process queries, the columns its actions write."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

from acompass.syntax import core_conditions, tree

#: the conditions of the paper
Core: TypeAlias = tree.Comparison | tree.Not | tree.And | tree.Or


def core(condition: tree.Condition) -> Core:
    """The condition itself, or the core's condition that it is written for (X4). Operands are kept."""
    match condition:
        case tree.Comparison() | tree.Not() | tree.And() | tree.Or():
            return condition
        case tree.Unequal():
            return core_conditions.unequal(condition)
        case tree.In():
            return core(core_conditions.is_in(condition))
        case tree.Between():
            return core(core_conditions.between(condition))
        case tree.Like():
            return core(core_conditions.like(condition))
        case _:
            assert_never(condition)


def is_like(condition: tree.Condition) -> bool:
    return isinstance(condition, tree.Like)


def comparisons(condition: tree.Condition) -> Iterator[tree.Comparison]:
    """Every comparison, in the order of the text. Not recursive: a tree built by hand may be very deep."""
    pending = [condition]
    while pending:
        node = core(pending.pop())
        match node:
            case tree.Comparison():
                yield node
            case tree.Not(operand):
                pending.append(operand)
            case tree.And(operands) | tree.Or(operands):
                pending.extend(reversed(operands))
            case _:
                assert_never(node)


def operands(condition: tree.Condition) -> tuple[tree.Condition, ...]:
    """The conditions that a condition is directly composed of; one that names a column has none."""
    match condition:
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between() | tree.Like():
            return ()
        case tree.Not(operand):
            return (operand,)
        case tree.And(operands) | tree.Or(operands):
            return operands
        case _:
            assert_never(condition)


def leaves(condition: tree.Condition) -> Iterator[tree.Condition]:
    """Every condition that names a column, as it is written, in the order of the text."""
    pending = [condition]
    while pending:
        node = pending.pop()
        parts = operands(node)
        if parts:
            pending.extend(reversed(parts))
        else:
            yield node


def steps(program: tree.Program) -> tuple[tree.Requirement, ...]:
    """The requirements, with each step of a THEN as a requirement of its own (X10).

    The first step has the assertion's place, each other one its own.
    """
    return tuple(step for requirement in program.requirements for step in steps_of(requirement))


def steps_of(requirement: tree.Requirement) -> Iterator[tree.Requirement]:
    match requirement.action:
        case tree.Then(actions):
            first, *others = actions
            yield replace(requirement, action=first, span=requirement.assertion.span.to(first.span))
            for action in others:
                yield replace(requirement, action=action, span=action.span)
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw():
            yield requirement
        case tree.Generalize() | tree.Drop() | tree.Sometimes():
            yield requirement
        case _:
            assert_never(requirement.action)


def step_of(requirement: tree.Requirement) -> tree.Step | None:
    """The action of a requirement that `steps` yields."""
    action = requirement.action
    assert not isinstance(action, tree.Then), "ask `steps` for the requirements"
    return action


def plain_of(action: tree.Step | None) -> tree.Plain | None:
    """The action itself, or the one that is performed with a probability (X5)."""
    return action.action if isinstance(action, tree.Sometimes) else action


def assertion_of(requirement: tree.Requirement) -> tree.Assertion | None:
    """The assertion; None for ALWAYS."""
    match requirement.assertion:
        case tree.Assertion():
            return requirement.assertion
        case tree.Always():
            return None
        case _:
            assert_never(requirement.assertion)


def record_conditions(requirement: tree.Requirement) -> Iterator[tree.Condition]:
    """The conditions on the table's own columns, in the order of the text."""
    assertion = assertion_of(requirement)
    if assertion is None:
        return
    match assertion.result:
        case tree.Result():
            yield assertion.condition
        case tree.Filter(condition):
            yield condition
            yield assertion.condition
        case tree.Process():
            if assertion.result.where is not None:
                yield assertion.result.where
        case _:
            assert_never(assertion.result)


def process_of(requirement: tree.Requirement) -> tree.Process | None:
    """The requirement's process query; None where its result is RESULT or FILTER."""
    assertion = assertion_of(requirement)
    if assertion is None:
        return None
    match assertion.result:
        case tree.Process():
            return assertion.result
        case tree.Result() | tree.Filter():
            return None
        case _:
            assert_never(assertion.result)


def processes(program: tree.Program) -> Iterator[tree.Process]:
    for requirement in program.requirements:
        process = process_of(requirement)
        if process is not None:
            yield process


def written_name(action: tree.Step | None) -> tree.Name | None:
    """The column that an action writes."""
    plain = plain_of(action)
    match plain:
        case None | tree.Reject() | tree.Drop():
            return None
        case tree.Replace(name) | tree.Random(name) | tree.Draw(name) | tree.Generalize(name):
            return name
        case _:
            assert_never(plain)


def drawn_name(action: tree.Step | None) -> tree.Name | None:
    """The column that an action draws values for."""
    plain = plain_of(action)
    match plain:
        case tree.Random(name) | tree.Draw(name):
            return name
        case None | tree.Reject() | tree.Replace() | tree.Generalize() | tree.Drop():
            return None
        case _:
            assert_never(plain)


def names_written(program: tree.Program) -> Iterator[tree.Name]:
    """The columns that lines of a policy write or drop."""
    written = (written_name(step_of(requirement)) for requirement in steps(program))
    yield from (name for name in written if name is not None)
    yield from names_dropped_by(program)


def names_dropped_by(program: tree.Program) -> Iterator[tree.Name]:
    """The columns that no release of a policy has."""
    for requirement in steps(program):
        yield from names_dropped(step_of(requirement))


def overwritten_names(action: tree.Step) -> tuple[tree.Name, ...]:
    """The columns whose values are gone once the action is performed on all records."""
    match action:
        case tree.Replace(name):
            return (name,)
        case tree.Drop(names):
            return names
        case tree.Reject() | tree.Random() | tree.Draw() | tree.Generalize() | tree.Sometimes():
            return ()
        case _:
            assert_never(action)


def names_dropped(action: tree.Step | None) -> tuple[tree.Name, ...]:
    plain = plain_of(action)
    match plain:
        case tree.Drop(names):
            return names
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
            return ()
        case _:
            assert_never(plain)


def map_numbers(action: tree.Step | None) -> tuple[tree.Number, ...]:
    """The numbers at which BANDS cuts a column."""
    plain = plain_of(action)
    match plain:
        case tree.Generalize(map=tree.BandsOf(width, start, end)):
            return tuple(number for number in (width, start, end) if number is not None)
        case tree.Generalize(map=tree.BandsAt(cuts)):
            return cuts
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw():
            return ()
        case tree.Generalize() | tree.Drop():
            return ()
        case _:
            assert_never(plain)


def generalize_of(action: tree.Step | None) -> tree.Generalize | None:
    """The GENERALIZE that an action performs."""
    plain = plain_of(action)
    match plain:
        case tree.Generalize():
            return plain
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Drop():
            return None
        case _:
            assert_never(plain)


def draw_of(action: tree.Step | None) -> tree.Draw | None:
    """The RANDOM … FROM that an action performs."""
    plain = plain_of(action)
    match plain:
        case tree.Draw():
            return plain
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Generalize() | tree.Drop():
            return None
        case _:
            assert_never(plain)


def is_bands(map_: tree.Map) -> bool:
    match map_:
        case tree.BandsOf() | tree.BandsAt():
            return True
        case tree.PrefixOf() | tree.DatePart() | tree.LevelOf():
            return False
        case _:
            assert_never(map_)


def hierarchy_files(program: tree.Program) -> tuple[str, ...]:
    """The files that LEVEL names, as the policy writes them, each once, in the order of the text."""
    found = (_hierarchy_file(step_of(requirement)) for requirement in steps(program))
    return tuple(dict.fromkeys(file for file in found if file is not None))


def _hierarchy_file(action: tree.Step | None) -> str | None:
    plain = plain_of(action)
    match plain:
        case tree.Generalize(map=tree.LevelOf(file=file)):
            return file.value
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw():
            return None
        case tree.Generalize() | tree.Drop():
            return None
        case _:
            assert_never(plain)


def parameter_names(program: tree.Program) -> frozenset[str]:
    used = (constant for requirement in steps(program) for constant in constants(requirement))
    return frozenset(constant.name for constant in used if isinstance(constant, tree.Parameter))


def constants(requirement: tree.Requirement) -> Iterator[tree.Constant]:
    """Every constant and parameter of a requirement that `steps` yields, those of maps aside."""
    for condition in all_conditions(requirement):
        yield from (comparison.constant for comparison in comparisons(condition))
    plain = plain_of(step_of(requirement))
    match plain:
        case None | tree.Reject() | tree.Drop():
            pass
        case tree.Replace(constant=constant):
            yield constant
        case tree.Random(lower=lower, upper=upper):
            yield from (lower, upper)
        case tree.Draw(balls=balls):
            yield from (ball.constant for ball in balls)
        case tree.Generalize(map=map_):
            yield from _otherwise(map_)
        case _:
            assert_never(plain)


def _otherwise(map_: tree.Map) -> Iterator[tree.Constant]:
    match map_:
        case tree.LevelOf(otherwise=constant):
            if constant is not None:
                yield constant
        case tree.BandsOf() | tree.BandsAt() | tree.PrefixOf() | tree.DatePart():
            pass
        case _:
            assert_never(map_)


def all_conditions(requirement: tree.Requirement) -> Iterator[tree.Condition]:
    """Every condition of a requirement, in the order of the text."""
    yield from record_conditions(requirement)
    assertion = assertion_of(requirement)
    if assertion is not None and process_of(requirement) is not None:
        yield assertion.condition


#: an action or a condition that no requirement of the paper has
BeyondAction: TypeAlias = tree.Draw | tree.Generalize | tree.Drop | tree.Sometimes | tree.Then
BeyondCondition: TypeAlias = tree.Unequal | tree.In | tree.Between | tree.Like
#: any node that none of them has; several aggregates are told by the second one
Beyond: TypeAlias = tree.Always | BeyondCondition | tree.NamedAggregate | BeyondAction


def beyond(requirement: tree.Requirement) -> Iterator[Beyond]:
    """Every form that is not of the paper, in the order of the text (X0)."""
    match requirement.assertion:
        case tree.Always():
            yield requirement.assertion
        case tree.Assertion():
            process = process_of(requirement)
            if process is not None:
                yield from process.others[:1]
            for condition in all_conditions(requirement):
                yield from beyond_condition(condition)
        case _:
            assert_never(requirement.assertion)
    yield from _beyond_action(requirement.action)


def beyond_condition(condition: tree.Condition) -> Iterator[BeyondCondition]:
    for leaf in leaves(condition):
        match leaf:
            case tree.Unequal() | tree.In() | tree.Between() | tree.Like():
                yield leaf
            case tree.Comparison() | tree.Not() | tree.And() | tree.Or():
                pass
            case _:
                assert_never(leaf)


def _beyond_action(action: tree.Action | None) -> Iterator[BeyondAction]:
    match action:
        case tree.Draw() | tree.Generalize() | tree.Drop():
            yield action
        case tree.Sometimes(action=plain):
            yield action
            yield from _beyond_action(plain)
        case tree.Then(actions):
            yield action
            for step in actions:
                yield from _beyond_action(step)
        case None | tree.Reject() | tree.Replace() | tree.Random():
            pass
        case _:
            assert_never(action)


def is_core(requirement: tree.Requirement) -> bool:
    return next(beyond(requirement), None) is None


def is_line(requirement: tree.Requirement) -> bool:
    """Whether the requirement is written on one line: ALWAYS with one step."""
    return assertion_of(requirement) is None and len(list(steps_of(requirement))) == 1
