"""Questions about a policy's tree: its steps and conditions, the columns that it writes, its forms beyond the paper.

`core` expands IN, BETWEEN, LIKE and the signs for "unequal" into the core conditions that they are short for (X4)."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple, TypeAlias, TypeGuard, assert_never

from acompass.dataclasses import replace
from acompass.language.text import tree
from acompass.language.text.tree import Operator

#: conditions of the paper
Core: TypeAlias = tree.Comparison | tree.Not | tree.And | tree.Or
#: conditions and actions that the paper does not have
BeyondCondition: TypeAlias = tree.Unequal | tree.In | tree.Between | tree.Like
BeyondPlain: TypeAlias = (
    tree.Draw | tree.Generalize | tree.Drop | tree.Pseudonym | tree.Shift | tree.AddRandom | tree.Microaggregate
)
BeyondAction: TypeAlias = BeyondPlain | tree.Sometimes | tree.Then
#: any node that the paper does not have; the second of several aggregates stands for all but the first
Beyond: TypeAlias = tree.Always | BeyondCondition | tree.Aggregate | tree.NamedAggregate | BeyondAction

_LAST = chr(0x10FFFF)
#: the code points that no text contains
_SURROGATES = range(0xD800, 0xE000)


def steps(program: tree.Program) -> tuple[tree.Requirement, ...]:
    """The requirements, with each step of a THEN as a requirement of its own (X10).

    The span of the first step begins with the assertion, that of any other with the step itself.
    """
    return tuple(step for requirement in program.requirements for step in steps_of(requirement))


def steps_of(requirement: tree.Requirement) -> Iterator[tree.Requirement]:
    action = requirement.action
    if not isinstance(action, tree.Then):
        yield requirement
        return
    first, *others = action.steps
    yield replace(requirement, action=first, span=requirement.assertion.span.to(first.span))
    for step in others:
        yield replace(requirement, action=step, span=step.span)


def steps_in(action: tree.Action) -> tuple[tree.Step, ...]:
    return action.steps if isinstance(action, tree.Then) else (action,)


def step_of(requirement: tree.Requirement) -> tree.Step | None:
    """The action of a requirement that `steps` yields."""
    action = requirement.action
    assert not isinstance(action, tree.Then), "pass a requirement that `steps` yields"
    return action


def plain_of(action: tree.Step | None) -> tree.Plain | None:
    """The action itself, or the one that is performed with a probability (X5)."""
    plain = action.action if isinstance(action, tree.Sometimes) else action
    if plain is None or isinstance(plain, tree.Plain):
        return plain
    assert_never(plain)


def assertion_of(requirement: tree.Requirement) -> tree.Assertion | None:
    """The assertion; None for ALWAYS."""
    return requirement.assertion if isinstance(requirement.assertion, tree.Assertion) else None


def process_of(requirement: tree.Requirement) -> tree.Process | None:
    """The requirement's process query; None if its result is RESULT or FILTER."""
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


def all_conditions(requirement: tree.Requirement) -> Iterator[tree.Condition]:
    """Every condition of a requirement, in the order of the text."""
    yield from record_conditions(requirement)
    assertion = assertion_of(requirement)
    if assertion is not None and process_of(requirement) is not None:
        yield assertion.condition


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
    """Every condition that names a column, unexpanded, in the order of the text."""
    pending = [condition]  # not recursive: a tree built in code may be very deep
    while pending:
        node = pending.pop()
        parts = operands(node)
        if parts:
            pending.extend(reversed(parts))
        else:
            yield node


def comparisons(condition: tree.Condition) -> Iterator[tree.Comparison]:
    """Every comparison, in the order of the text."""
    for leaf in leaves(condition):
        yield from (part for part in leaves(core(leaf)) if isinstance(part, tree.Comparison))


def is_like(condition: tree.Condition) -> TypeGuard[tree.Like]:
    return isinstance(condition, tree.Like)


def core(condition: tree.Condition) -> Core:
    """The condition itself, or the core condition that it is short for (X4). Operands stay as they are."""
    match condition:
        case tree.Comparison() | tree.Not() | tree.And() | tree.Or():
            return condition
        case tree.Unequal():
            return tree.Not(_compare(condition, Operator.EQ, condition.constant), condition.span)
        case tree.In():
            return _core_in(condition)
        case tree.Between():
            return _core_between(condition)
        case tree.Like():
            return _core_like(condition)
        case _:
            assert_never(condition)


def _core_in(node: tree.In) -> Core:
    equal = tuple(_compare(node, Operator.EQ, constant) for constant in node.constants)
    return _maybe_not(node, equal[0] if len(equal) == 1 else tree.Or(equal, node.span))


def _core_between(node: tree.Between) -> Core:
    ends = (_compare(node, Operator.GE, node.lower), _compare(node, Operator.LE, node.upper))
    return _maybe_not(node, tree.And(ends, node.span))


def _core_like(node: tree.Like) -> Core:
    """Texts are ordered by code point (D9), so all texts with a prefix are adjacent and begin with it."""
    first = node.pattern.value.removesuffix("%")
    beginning = _compare(node, Operator.GE, tree.String(first, node.pattern.span))
    end = _least_text_above(first)
    if end is None:
        return _maybe_not(node, beginning)
    before = _compare(node, Operator.LT, tree.String(end, node.pattern.span))
    return _maybe_not(node, tree.And((beginning, before), node.span))


def _least_text_above(prefix: str) -> str | None:
    """The least text above every text with the prefix; None if there is none."""
    kept = prefix.rstrip(_LAST)
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES.stop if following in _SURROGATES else following)


def _compare(node: BeyondCondition, operator: Operator, constant: tree.Constant) -> tree.Comparison:
    return tree.Comparison(node.name, operator, constant, node.span)


def _maybe_not(node: tree.In | tree.Between | tree.Like, condition: Core) -> Core:
    return tree.Not(condition, node.span) if node.negated else condition


class Parts(NamedTuple):
    """What an action names, apart from its probability."""

    written: tuple[tree.Name, ...] = ()
    read: tuple[tree.Name, ...] = ()  # columns that decide what it writes, apart from those that it writes
    dropped: tuple[tree.Name, ...] = ()
    constants: tuple[tree.Constant, ...] = ()  # that it writes, and the bounds of RANDOM
    #: constants that have to be integers, with a description of their place
    integers: tuple[tuple[str, tree.Constant], ...] = ()
    draws: bool = False
    #: performed on all records, it leaves no value of the column, not even a missing one (D27)
    overwrites: bool = False
    #: equal values of a column stay equal: what it writes depends on the value alone
    keeps_equal: bool = False


def parts_of(action: tree.Step | None) -> Parts:
    plain = plain_of(action)
    match plain:
        case None | tree.Reject():
            return Parts()
        case tree.Replace(name, constant):
            return Parts((name,), constants=(constant,), overwrites=True, keeps_equal=True)
        case tree.Random(name, lower, upper) | tree.AddRandom(lower, upper, name):
            bound = f"as the bound of `{'RANDOM' if isinstance(plain, tree.Random) else 'ADD RANDOM'}`"
            return Parts((name,), constants=(lower, upper), integers=((bound, lower), (bound, upper)), draws=True)
        case tree.Draw(name, values):
            return Parts((name,), constants=tuple(each.constant for each in values), draws=True)
        case tree.Generalize(name, map_):
            of_map = map_parts(map_)
            return Parts((name,), constants=of_map.constants, integers=of_map.integers, keeps_equal=True)
        case tree.Drop(names):
            return Parts(dropped=names)
        case tree.Pseudonym(name):
            return Parts((name,), keeps_equal=True)
        case tree.Shift(names, person, days):
            return Parts(names, (person,), constants=(days,), integers=(("after `WITHIN`", days),))
        case tree.Microaggregate(name, size):
            return Parts((name,), constants=(size,), integers=(("after `BY`", size),))
        case _:
            assert_never(plain)


class MapParts(NamedTuple):
    of_numbers: bool  # it uses its column as a number (D10)
    numbers: tuple[tree.Number, ...] = ()  # that its values are compared with
    constants: tuple[tree.Constant, ...] = ()  # that it writes
    integers: tuple[tuple[str, tree.Constant], ...] = ()
    step: Decimal | None = None  # the number of NEAREST


def map_parts(map_: tree.Map) -> MapParts:
    match map_:
        case tree.BandsOf(width, start, end):
            return MapParts(True, tuple(number for number in (width, start, end) if number is not None))
        case tree.BandsAt(cuts):
            return MapParts(True, cuts)
        case tree.PrefixOf(length):
            return MapParts(False, integers=(("after `PREFIX OF`", length),))
        case tree.DatePart():
            return MapParts(False)
        case tree.LevelOf(level, _, otherwise):
            return MapParts(False, (), () if otherwise is None else (otherwise,), (("after `LEVEL`", level),))
        case tree.Nearest(number):
            return MapParts(True, (number,), step=number.value)
        case _:
            assert_never(map_)


def written_names(action: tree.Step | None) -> tuple[tree.Name, ...]:
    """The columns that an action writes."""
    return parts_of(action).written


def drawn_names(action: tree.Step | None) -> tuple[tree.Name, ...]:
    """The columns that an action draws values for."""
    parts = parts_of(action)
    return parts.written if parts.draws else ()


def adds_random(action: tree.Step | None) -> bool:
    """Whether the action adds drawn numbers to those of the column (X17)."""
    return isinstance(plain_of(action), tree.AddRandom)


def names_written(program: tree.Program) -> Iterator[tree.Name]:
    """The columns that a policy writes or drops."""
    for requirement in steps(program):
        yield from written_names(step_of(requirement))
    yield from names_dropped_by(program)


def names_dropped_by(program: tree.Program) -> Iterator[tree.Name]:
    """The columns that a policy drops."""
    for requirement in steps(program):
        yield from names_dropped(step_of(requirement))


def names_split_by(program: tree.Program) -> Iterator[tree.Name]:
    """The columns in which equal values may become different. If such a column told persons apart, the number of its
    distinct values no longer says how many persons there are (D35)."""
    for requirement in steps(program):
        action = step_of(requirement)
        is_of_all = assertion_of(requirement) is None and chance_in(action) is None
        if not (is_of_all and parts_of(action).keeps_equal):
            yield from written_names(action)


def names_dropped(action: tree.Step | None) -> tuple[tree.Name, ...]:
    return parts_of(action).dropped


def without_drops_of(program: tree.Program, column: str) -> tree.Program:
    """The program that does not drop a column."""
    kept = (replace(each, action=_without_drop_of(step_of(each), column)) for each in steps(program))
    return replace(program, requirements=tuple(each for each in kept if each.action != tree.Drop(())))


def _without_drop_of(action: tree.Step | None, column: str) -> tree.Step | None:
    dropped = names_dropped(action)
    if not dropped:
        return action
    return tree.Drop(tuple(name for name in dropped if name.text.casefold() != column.casefold()))


def overwritten_names(action: tree.Step) -> tuple[tree.Name, ...]:
    """The columns that keep no value once the action is performed on all records."""
    if chance_in(action) is not None:
        return ()
    parts = parts_of(action)
    return parts.written if parts.overwrites else parts.dropped


def chance_in(action: tree.Step | None) -> tree.Sometimes | None:
    """The WITH PROBABILITY of an action."""
    return action if isinstance(action, tree.Sometimes) else None


def generalize_in(action: tree.Step | None) -> tree.Generalize | None:
    """The GENERALIZE that an action performs."""
    plain = plain_of(action)
    return plain if isinstance(plain, tree.Generalize) else None


def replacement_in(action: tree.Step | None) -> str | None:
    """The text that REPLACE writes; None for a number, a parameter and any other action."""
    plain = plain_of(action)
    constant = plain.constant if isinstance(plain, tree.Replace) else None
    return constant.value if isinstance(constant, tree.String) else None


def nearest_in(action: tree.Step | None) -> tree.Nearest | None:
    """The NEAREST that an action performs."""
    map_ = _map(action)
    return map_ if isinstance(map_, tree.Nearest) else None


def is_pseudonym(action: tree.Step | None) -> bool:
    return isinstance(plain_of(action), tree.Pseudonym)


def uses_key(program: tree.Program) -> bool:
    """Whether a run of the policy needs a secret key."""
    return any(isinstance(plain_of(step_of(each)), tree.Pseudonym | tree.Shift) for each in steps(program))


def random_word(action: tree.Random | tree.AddRandom) -> str:
    """The action in words."""
    return "ADD RANDOM" if isinstance(action, tree.AddRandom) else "RANDOM"


def draw_in(action: tree.Step | None) -> tree.Draw | None:
    """The RANDOM … FROM that an action performs."""
    plain = plain_of(action)
    return plain if isinstance(plain, tree.Draw) else None


def map_numbers(action: tree.Step | None) -> tuple[tree.Number, ...]:
    """The numbers of BANDS."""
    map_ = _map(action)
    return () if map_ is None else map_parts(map_).numbers


def _map(action: tree.Step | None) -> tree.Map | None:
    generalize = generalize_in(action)
    return None if generalize is None else generalize.map


def hierarchy_files(program: tree.Program) -> tuple[str, ...]:
    """The files that LEVEL names, as the policy spells them, each once, in the order of the text."""
    maps = (_map(step_of(requirement)) for requirement in steps(program))
    levels = (None if map_ is None else level_in(map_) for map_ in maps)
    return tuple(dict.fromkeys(level.file.value for level in levels if level is not None))


def reference_files(program: tree.Program) -> tuple[str, ...]:
    """The files of aggregates over reference tables, as the policy spells them, each once, in the order of the text."""
    named = (each.aggregate for process in processes(program) for each in process.aggregates)
    return tuple(dict.fromkeys(each.file.value for each in named if each.file is not None))


def level_in(map_: tree.Map) -> tree.LevelOf | None:
    """The LEVEL of a hierarchy file that a map is."""
    return map_ if isinstance(map_, tree.LevelOf) else None


def constants(requirement: tree.Requirement) -> Iterator[tree.Constant]:
    """Every constant and parameter of a requirement that `steps` yields, without the numbers of maps."""
    process = process_of(requirement)
    if process is not None:
        largest = (named.aggregate.largest for named in process.aggregates)
        yield from (constant for constant in largest if constant is not None)
    for condition in all_conditions(requirement):
        yield from (comparison.constant for comparison in comparisons(condition))
    yield from parts_of(step_of(requirement)).constants


def parameter_names(program: tree.Program) -> frozenset[str]:
    used = (constant for requirement in steps(program) for constant in constants(requirement))
    return frozenset(constant.name for constant in used if isinstance(constant, tree.Parameter))


def beyond(requirement: tree.Requirement) -> Iterator[Beyond]:
    """Every form that the paper does not have, in the order of the text (X0)."""
    match requirement.assertion:
        case tree.Always():
            yield requirement.assertion
        case tree.Assertion():
            process = process_of(requirement)
            if process is not None:
                yield from (each.aggregate for each in process.aggregates if is_beyond_aggregate(each.aggregate))
                yield from process.others[:1]
            for condition in all_conditions(requirement):
                yield from (leaf for leaf in leaves(condition) if isinstance(leaf, BeyondCondition))
        case _:
            assert_never(requirement.assertion)
    yield from _beyond_action(requirement.action)


def is_beyond_aggregate(aggregate: tree.Aggregate) -> bool:
    """Whether the paper does not have the aggregate: a SHARE (X13), or an aggregate over a reference table (X14)."""
    return aggregate.is_share or aggregate.file is not None


def _beyond_action(action: tree.Action | None) -> Iterator[BeyondAction]:
    match action:
        case tree.Draw() | tree.Generalize() | tree.Drop():
            yield action
        case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
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
    """Whether the formatter writes the requirement on one line: ALWAYS with one step."""
    return assertion_of(requirement) is None and len(list(steps_of(requirement))) == 1
