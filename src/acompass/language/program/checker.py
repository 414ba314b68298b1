"""Check a tree against a table's schema: return a checked program, or all errors of the policy for that schema.

Names become positions, and constants become typed values. The result of an assertion determines the columns that its
condition sees (D15)."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Diagnostic, Source, Span, keep_sound_fixes
from acompass.language.program import findings, program
from acompass.language.program.actions import check_action, check_integer
from acompass.language.program.aggregates import facts_about
from acompass.language.program.constants import Parameters, ParamValue, compared_value
from acompass.language.program.findings import drop_parameter_fixes, nesting_too_deep
from acompass.language.program.scope import Scope, View
from acompass.language.program.types import INTEGER, Column, Names, Schema, Type
from acompass.language.text import tree
from acompass.language.text.parser import pause_garbage_collection
from acompass.language.text.tree import place_of
from acompass.language.text.walk import assertion_of, comparisons, core, step_of, steps, steps_of


@pause_garbage_collection()
def check(
    policy: tree.Program,
    source: str,
    schema: Schema,
    params: Mapping[str, ParamValue] | None = None,
    *,
    may_be_released: bool = False,
) -> tuple[program.Program | None, tuple[Diagnostic, ...]]:
    """The checked program, or None if there are errors, and all errors in the order of the text.

    `source` is the text that the tree was parsed from; it may be empty for a tree that was built in code.
    `may_be_released` says that the table may be an output of this policy (D32).
    """
    scope = Scope.start(schema, Parameters(params or {}))
    scope.folder, scope.hierarchies = policy.folder, policy.hierarchies
    scope.may_be_released = may_be_released
    lines = Source(source)
    checked = tuple(
        _requirement(index, requirement, lines, scope) for index, requirement in enumerate(steps(policy), start=1)
    )
    sound = tuple(requirement for requirement in checked if requirement is not None)
    if found := _errors(scope):
        comments = [comment.span for comment in policy.comments]
        return None, tuple(keep_sound_fixes(error, source, comments) for error in found)
    assert len(sound) == len(checked), "a requirement failed without an error"
    return program.Program(schema, _add_texts(sound, policy), frozenset(scope.named)), ()


def _errors(scope: Scope) -> tuple[Diagnostic, ...]:
    in_order = sorted(scope.found, key=lambda error: error.labels[0].span.start)
    return (*map(_remove_unknown_places, in_order), *scope.parameters.problems())


def _remove_unknown_places(error: Diagnostic) -> Diagnostic:
    labels = tuple(label for label in error.labels if place_of(label.span) is not None)
    return error if len(labels) == len(error.labels) else replace(error, labels=labels)


def _requirement(index: int, requirement: tree.Requirement, source: Source, scope: Scope) -> program.Requirement | None:
    before, found, scope.unjudged = scope.schema, len(scope.found), False
    assertion = _assertion(requirement.assertion, scope)
    judged = not scope.unjudged or len(scope.found) > found
    if not judged:
        assertion = _always(before, requirement.assertion.span)
    step = step_of(requirement)
    is_always = assertion_of(requirement) is None
    action = None if step is None else check_action(step, scope, always=is_always)
    if assertion is None or (action is None) != (step is None):
        return None
    line, text = _line_and_text(source, requirement)
    span = place_of(requirement.span)
    return program.Requirement(index, line, text, assertion, action, before, scope.schema, span, judged)


def _assertion(assertion: tree.Assertion | tree.Always, scope: Scope) -> program.Assertion | None:
    match assertion:
        case tree.Always():
            return _always(scope.schema, assertion.span)
        case tree.Assertion():
            return _check_assertion(assertion, scope)
        case _:
            assert_never(assertion)


def _always(schema: Schema, span: Span) -> program.Assertion:
    return program.Assertion(tree.Quantifier.EACH, program.Result(), program.NEVER, schema, place_of(span))


def _check_assertion(assertion: tree.Assertion, scope: Scope) -> program.Assertion | None:
    result, view = check_result(assertion.result, scope)
    condition = check_condition(assertion.condition, view, scope)
    if result is None or condition is None:
        return None
    schema = scope.schema if view.is_table else view.schema
    return program.Assertion(assertion.quantifier, result, condition, schema, place_of(assertion.span))


def _line_and_text(source: Source, requirement: tree.Requirement) -> tuple[int, str]:
    """A requirement's line and its text without the semicolon; `_add_texts` supplies them for a tree without spans.

    A later step of a THEN has its own line, and the assertion's text before its own (X10).
    """
    assertion, span = place_of(requirement.assertion.span), place_of(requirement.span)
    if span is None or assertion is None:
        return 0, ""
    line, _ = source.position(span.start)
    text = source.text[span.start : span.end].removesuffix(";").rstrip()
    if span.start > assertion.start:
        return line, f"{source.text[assertion.start : assertion.end]} : {text}"
    return line, text


def _add_texts(requirements: tuple[program.Requirement, ...], policy: tree.Program) -> tuple[program.Requirement, ...]:
    """Give requirements without a span their line and text in the formatted policy."""
    if all(requirement.span is not None for requirement in requirements):
        return requirements
    return tuple(
        requirement if requirement.span is not None else replace(requirement, line=line, text=text)
        for requirement, (line, text) in zip(requirements, _formatted_lines(policy), strict=True)
    )


def _formatted_lines(policy: tree.Program) -> Iterator[tuple[int, str]]:
    from acompass.language.text.formatter import format_requirement  # most policies have a text

    line = 1
    for requirement in policy.requirements:
        for at, step in enumerate(steps_of(requirement)):
            yield line + at, format_requirement(step).removesuffix(";")
        line += format_requirement(requirement).count("\n") + 2  # blocks are separated by an empty line


def check_result(result: tree.ResultForm, scope: Scope) -> tuple[program.ResultForm | None, View]:
    """The result, or None if an error in it was reported, and the view of the condition after it."""
    match result:
        case tree.Result():
            return program.Result(place_of(result.span)), scope.table
        case tree.Filter():
            condition = check_condition(result.condition, scope.table, scope)
            filter_ = None if condition is None else program.Filter(condition, place_of(result.span))
            return filter_, scope.table
        case tree.Process():
            return _process(result, scope)
        case _:
            assert_never(result)


def _process(process: tree.Process, scope: Scope) -> tuple[program.Process | None, View]:
    groups = [scope.column(name) for name in process.group_by]
    aggregates = [_aggregate(named, groups, scope) for named in process.aggregates]
    where = None if process.where is None else check_condition(process.where, scope.table, scope)
    distinct = _are_distinct(process, groups, scope)
    view = _result_view(process, groups, aggregates, scope)
    sound = [group for group in groups if group is not None]
    checked = [each.checked for each in aggregates if each.checked is not None]
    if (
        len(checked) < len(aggregates)
        or not distinct
        or len(sound) < len(groups)
        or (where is None) != (process.where is None)
    ):
        return None, view
    return program.Process(tuple(checked), where, tuple(sound), place_of(process.span)), view


@dataclass(frozen=True, slots=True)
class _Aggregate:
    name: tree.Name
    type: Type | None  # None if an error about the aggregate was reported
    origin: int | None  # the column that the value comes from; None for a SUM or a count
    checked: program.Aggregate | None


def _aggregate(named: tree.NamedAggregate, groups: list[int | None], scope: Scope) -> _Aggregate:
    aggregate, alias = named.aggregate, named.alias
    if aggregate.file is not None:
        return _referenced(named, aggregate.file, groups, scope)
    largest = 0 if aggregate.largest is None else _largest(aggregate.largest, scope)
    column = None if aggregate.column is None else scope.column(aggregate.column)
    type_ = _aggregate_type(aggregate, column, scope)
    origin = column if facts_about(aggregate.function).is_value else None
    if type_ is None or largest is None:
        return _Aggregate(alias, type_, origin, None)
    return _Aggregate(alias, type_, origin, program.Aggregate(aggregate.function, column, alias.text, type_, largest))


def _largest(constant: tree.Number | tree.Parameter, scope: Scope) -> int | None:
    return check_integer(constant, scope, 1, None, "the number of largest values")


def _referenced(named: tree.NamedAggregate, file: tree.String, groups: list[int | None], scope: Scope) -> _Aggregate:
    """An aggregate over the records of a file that agree with the group (X14)."""
    aggregate, alias = named.aggregate, named.alias
    columns = [None if group is None else scope.schema[group] for group in groups]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns) or any(scope.holds_pseudonyms(column.type) for column in known):
        return _Aggregate(alias, None, None, None)
    found = scope.reference(file, aggregate.column, known)
    if isinstance(found, Diagnostic):
        scope.report(found)
        return _Aggregate(alias, None, None, None)
    checked = program.Aggregate(aggregate.function, None, alias.text, found.type, reference=found)
    return _Aggregate(alias, found.type, None, checked)


def _aggregate_type(aggregate: tree.Aggregate, column: int | None, scope: Scope) -> Type | None:
    """The type of the aggregate's value, or None if an error about it was reported."""
    if aggregate.column is None:
        return INTEGER
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    facts = facts_about(aggregate.function)
    if facts.of_numbers and scope.holds_labels(column, type_):
        return None
    if facts.takes(type_):
        return facts.type_for(type_)
    finding = findings.not_aggregable(aggregate, aggregate.column, scope.schema[column])
    scope.report_misuse(finding, column, used_as_number=facts.of_numbers)
    return None


def _are_distinct(process: tree.Process, groups: list[int | None], scope: Scope) -> bool:
    """Whether no column is grouped by twice and each aggregate's name differs from all others (D15, X11).

    Names that differ only in case are equal here. Otherwise `age` would mean the aggregate in the condition and the
    column `Age` in GROUP BY.
    """
    found = len(scope.found)
    aliases = _aliases(process, scope)
    first: dict[int, tree.Name] = {}
    for index, (name, column) in enumerate(zip(process.group_by, groups, strict=True)):
        text = scope.names.spelling(name.text, column)
        if text.casefold() in aliases:
            scope.report(findings.alias_is_grouped(aliases[text.casefold()], name))
        if column is not None and first.setdefault(column, name) is not name:
            scope.report(findings.repeated_group(name, process.group_by[index - 1], first[column], text))
    return len(scope.found) == found


def _aliases(process: tree.Process, scope: Scope) -> dict[str, tree.Name]:
    """The names of the aggregates, without regard to case."""
    aliases: dict[str, tree.Name] = {}
    for named in process.aggregates:
        first = aliases.setdefault(named.alias.text.casefold(), named.alias)
        if first is not named.alias:
            scope.report(findings.alias_twice(named.alias, first))
    return aliases


def _result_view(process: tree.Process, groups: list[int | None], aggregates: list[_Aggregate], scope: Scope) -> View:
    """The view (G1, …, Gm, C1, …, Cn). An unknown name keeps its position and is reported only once."""
    names = [scope.names.spelling(name.text, group) for name, group in zip(process.group_by, groups, strict=True)]
    types = [None if group is None else scope.types[group] for group in groups]
    return View(
        Names([*names, *(each.name.text for each in aggregates)]),
        [*types, *(each.type for each in aggregates)],
        [*groups, *(each.origin for each in aggregates)],
        is_table=False,
        alias=process.alias,
    )


#: the deepest nesting of NOT, AND and OR in a tree built in code, because all later stages recurse over conditions; the
#: parser's limit (`MAXIMUM_DEPTH`) is lower
DEEPEST = 200


def check_condition(condition: tree.Condition, view: View, scope: Scope, depth: int = 0) -> program.Condition | None:
    """The condition over the view's positions, or None if an error in it was reported."""
    if depth > DEEPEST:
        _too_deep(condition, scope)
        return None
    written = core(condition)
    match written:
        case tree.Comparison():
            return _comparison(written, view, scope)
        case tree.Not():
            operand = check_condition(written.operand, view, scope, depth + 1)
            return None if operand is None else program.Not(operand)
        case tree.And():
            operands = _operands(written.operands, view, scope, depth)
            return None if operands is None else program.And(operands)
        case tree.Or():
            operands = _operands(written.operands, view, scope, depth)
            return None if operands is None else program.Or(operands)
        case _:
            assert_never(written)


def _operands(
    operands: tuple[tree.Condition, ...], view: View, scope: Scope, depth: int
) -> tuple[program.Condition, ...] | None:
    checked = [check_condition(operand, view, scope, depth + 1) for operand in operands]
    sound = [operand for operand in checked if operand is not None]
    return tuple(sound) if len(sound) == len(checked) else None


def _too_deep(condition: tree.Condition, scope: Scope) -> None:
    scope.report(nesting_too_deep(condition.span, DEEPEST))
    for comparison in comparisons(condition):  # parameters below this depth count as used
        scope.bind(comparison.constant)


def _comparison(comparison: tree.Comparison, view: View, scope: Scope) -> program.Comparison | None:
    name = comparison.name
    types = [view.types[found] for found in view.names.find(name.text)]
    constant = scope.bind(comparison.constant, all(type_ is not None and type_.is_number for type_ in types))
    position = scope.column(name) if view.is_table else scope.find(name, view)
    if position is None or constant is None:
        return None
    type_ = view.types[position]
    if type_ is None:
        return None
    is_number = isinstance(constant, tree.Number)
    if scope.holds_pseudonyms(type_) or (is_number and scope.holds_labels(view.origins[position], type_)):
        return None
    value = compared_value(constant, Column(view.names.texts[position], type_))
    if isinstance(value, Diagnostic):
        finding = drop_parameter_fixes(value, comparison.constant)
        scope.report_misuse(finding, view.origins[position], used_as_number=is_number)
        return None
    return program.Comparison(position, comparison.operator, value, place_of(comparison.span))
