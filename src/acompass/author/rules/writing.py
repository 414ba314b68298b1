"""Rewrite a rule for a table: its columns become those of the table, its parameters numbers.

A column of the rule that stands in a list becomes all columns that were matched with it. Elsewhere the requirement is
repeated for each of them. A requirement with a column that was matched with none is left out. If no column tells
persons apart, each record is a person."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from acompass.author.answers import RulePolicy
from acompass.author.rules.library import Clause, Rule, RuleColumn, comment_before, part_names, parts, reference_rows
from acompass.author.rules.matching import Matching, given_columns
from acompass.dataclasses import is_dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.program.findings import Bound
from acompass.language.text import tree
from acompass.language.text.formatter import WrittenRule, format_program, format_requirement, remark_lines
from acompass.language.text.tokens import spell_constant
from acompass.language.text.walk import hierarchy_files, process_of, reference_files
from acompass.policy import Policy, parse, parse_file
from acompass.tables.errors import output_is_reference
from acompass.tables.output import replace_file, require_policy_place

#: the columns of the table for each column of the rule
Columns: TypeAlias = Mapping[str, Sequence[str]]
Params: TypeAlias = Mapping[str, ParamValue] | None


def write_policy(rule: Rule, columns: Columns, params: Params = None) -> str:
    """The text of the rule's policy for a table with these columns."""
    rewriter = _Rewriter(rule, columns, params)
    written = WrittenRule(rule.name, rule.dated, rule.review)
    lines = (f"-- {line}" for line in (rule.source, *changed_numbers(rule, params)))
    blocks, remarks = [[*remark_lines(rule.title), written.remark, *lines]], list[str]()
    for requirement in rule.policy.tree.requirements:
        texts = comment_before(rule.policy.tree, requirement)  # without one, it belongs to the comment before
        remarks = [line for text in texts for line in remark_lines(text)] if texts else remarks
        made = [*map(format_requirement, rewriter.for_table(requirement))]
        if made and (remarks or len(blocks) == 1):
            blocks.append([*remarks, *made])
            remarks = []
        elif made:
            blocks[-1] += made
    return format_program("\n\n".join("\n".join(block) for block in blocks))


def changed_numbers(rule: Rule, params: Params) -> list[str]:
    """A sentence for each parameter that a call sets to another value than the rule's."""
    bound = _bind(rule, params)
    return [
        f"{name} is {spell_constant(bound[name])} here, {spell_constant(own)} in the rule"
        for name, own in _bind(rule, None).items()
        if bound[name] != own
    ]


def _bind(rule: Rule, params: Params) -> dict[str, Bound]:
    """The values of the rule's parameters: those of the call, or else the rule's own. A number in place of a text, as
    in `--set year=1936`, is the text of its digits."""
    own = {each.name: each.value for each in rule.parameters}
    given = {name: str(each) if isinstance(own.get(name), str) else each for name, each in (params or {}).items()}
    values = Parameters(own | given)
    found = {each.name: values.bind(tree.Parameter(each.name)) for each in rule.parameters}
    if problems := values.problems():
        raise CallError(problems)
    return {name: value for name, value in found.items() if value is not None}


def clauses_for(rule: Rule, columns: Columns, params: Params = None) -> Iterator[tuple[Clause, Policy | None]]:
    """Each clause as a policy for a table with these columns; None if the table has none of its columns."""
    rewriter = _Rewriter(rule, columns, params)
    for clause in rule.clauses:
        text = "\n".join(map(format_requirement, rewriter.for_table(clause.requirement)))
        yield clause, policy_with_files(rule, text, columns) if text else None


def policy_with_files(rule: Rule, text: str, columns: Columns) -> Policy:
    """A policy that finds the files of the rule, for a table with these columns."""
    policy = parse(text, f"{rule.name}.acp")
    contents = file_contents(rule, policy, columns)
    return replace(policy, tree=replace(policy.tree, folder=str(rule.folder), hierarchies=contents))


def file_contents(rule: Rule, policy: Policy, columns: Columns) -> dict[str, bytes]:
    """The hierarchies and reference tables that a policy of the rule names, for a table with these columns."""
    hierarchies = {name: (rule.folder / name).read_bytes() for name in hierarchy_files(policy.tree)}
    return hierarchies | {name: reference_content(rule, name, columns) for name in reference_files(policy.tree)}


def reference_content(rule: Rule, file: str, columns: Columns) -> bytes:
    """A reference table whose columns have the names of the user's table, where X14 looks for them."""
    rows = reference_rows(rule, file)
    places = [(at, name) for at, own in enumerate(rows[0]) for name in columns.get(own) or (own,)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for _, name in places])
    writer.writerows([row[at] for at, _ in places] for row in rows[1:])
    return out.getvalue().encode()


def write_rule(
    rule: Rule, matching: Matching | None, given: Columns, params: Params, output: str | None, table: Any = None
) -> RulePolicy:
    """Write the policy of a rule and its files, for the table of the matching or for the rule's own columns."""
    meant, columns = (_with_own_columns(rule, given)) if matching is None else (rule, matching.columns)
    text = write_policy(meant, columns, params)
    policy = policy_with_files(rule, text, columns)
    if not policy.tree.requirements:
        raise CallError([_nothing_to_write(rule, columns)])
    on_persons = () if matching is None else _notes_on_persons(rule, columns)
    notes = (*changed_numbers(rule, params), *on_persons)
    if output is None:
        return RulePolicy(policy, rule, matching, notes=notes)
    contents = {os.path.join(os.path.dirname(output), name): each for name, each in policy.tree.hierarchies.items()}
    require_policy_place(output, table)
    if os.path.basename(output) in policy.tree.hierarchies:
        raise output_is_reference(output)
    written = _write_files(output, text, {path: each for path, each in contents.items() if not _is_there(path, each)})
    return RulePolicy(parse_file(text, output), rule, matching, output, written, notes=notes)


def _nothing_to_write(rule: Rule, columns: Columns) -> Diagnostic:
    """Name the columns that the rule's requirements need in a table of this kind."""
    absent = [each for each in rule.columns if not columns.get(each.name) and each.role != "person"]
    wanted = [each for each in absent if each.unless is not None] or absent
    meant = "; ".join(f"`{each.name}`: {each.meaning}" for each in absent)
    message = f"the table has none of the columns that a requirement of rule `{rule.name}` needs"
    example = option_text("columns", {wanted[0].name: ...})
    return Diagnostic("AC652", message, help=f"name columns of the table, as in `{example}`; {meant}")


def _with_own_columns(rule: Rule, given: Columns) -> tuple[Rule, Columns]:
    """The rule for tables of all kinds at once, and its own columns, except for those that the call names."""
    meant = replace(rule, columns=tuple(replace(each, unless=None) for each in rule.columns))
    return meant, {each.name: (each.name,) for each in rule.columns} | given_columns(rule, given)


def note_on_missing(matching: Matching) -> Iterator[str]:
    """Note which columns of the policy lack values: a run needs to know what to do with these records."""
    dates = {name for match in matching.matches if "date" in match.column.values for name in match.columns}
    if matching.incomplete:
        names = ", ".join(f"`{name}`" for name in matching.incomplete)
        filled = {name: "9999-12-31" if name in dates else ... for name in matching.incomplete}
        yield (
            f"some of the first records have no value in {names}; to keep them, fill the columns when the policy runs, "
            f"as in `{option_text('missing', filled)}`; `{option_text('missing', 'drop')}` drops these records"
        )


def _notes_on_persons(rule: Rule, columns: Columns) -> Iterator[str]:
    requirements = rule.policy.tree.requirements
    found = columns.get(rule.person or "")
    if not found:
        yield from note_on_records(rule, columns, requirements)
    elif _count_persons(rule, columns, requirements):
        yield (
            f"the policy counts persons by `{found[0]}`; reports do so with `{option_text('person', found[0])}`, or "
            f"with `person = {json.dumps(found[0], ensure_ascii=False)}` for the table in `acompass.toml`"
        )


def note_on_records(rule: Rule, columns: Columns, requirements: Iterable[tree.Requirement]) -> Iterator[str]:
    """Note that a requirement of the rule counts records in place of persons, if it does."""
    if rule.person is not None and not columns.get(rule.person) and _count_persons(rule, columns, requirements):
        yield (
            "no column tells persons apart, so each record counts as a person; if a person can have several records, "
            f"name the column with `{option_text('columns', {rule.person: 'COLUMN'})}`"
        )


def _count_persons(rule: Rule, columns: Columns, requirements: Iterable[tree.Requirement]) -> bool:
    rewriter = _Rewriter(rule, columns, None)
    return any(map(rewriter.counts_persons, requirements))


def _is_there(path: str, content: bytes) -> bool:
    """Whether a file of the rule exists. Raise if another file has its name."""
    try:
        found = Path(path).read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        found = None
    if found == content:
        return True
    message = f"the policy needs a file of the rule, but `{path}` exists and has other content"
    help_ = f"use another folder, or keep this file and write only the policy, with `{option_text('output', '-')}`"
    raise CallError([Diagnostic("AC653", message, help=help_)])


def _write_files(output: str, text: str, contents: Mapping[str, bytes]) -> tuple[str, ...]:
    """Write all files or none. The policy comes into place last."""
    contents = {output: text.encode(), **contents}
    try:
        with ExitStack() as stack:
            for path, content in contents.items():
                Path(stack.enter_context(replace_file(path))).write_bytes(content)
    except BaseException:
        for path in contents.keys() - {output}:
            with suppress(OSError):
                os.unlink(path)
        raise
    return tuple(contents)


class _Rewriter:
    """Rewrites requirements over a rule's columns for a table with other ones."""

    def __init__(self, rule: Rule, columns: Columns, params: Params):
        self._matched = {
            column.name.casefold(): tuple(map(tree.Name, _matched_with(column, columns))) for column in rule.columns
        }
        self._person = None if rule.person is None else rule.person.casefold()
        self._has_person = self._person is None or bool(self._matched[self._person])
        self._values = _bind(rule, params)

    def for_table(self, requirement: tree.Requirement) -> list[tree.Requirement]:
        """What becomes of a requirement; nothing if the table lacks one of its columns."""
        counted = requirement if self._has_person else self._count_records(requirement)
        found = (key for node in (counted, *self._grouped_singly(counted)) for key in self._single(node))
        single, lists = list(dict.fromkeys(found)), list(self._lists(counted))
        if not all(any(self._matched.get(key, (None,)) for key in each) for each in lists):
            return []
        choices, renamed = product(*(self._matched[key] for key in single)), dict(self._renamed(counted))
        return [self._rewrite(counted, renamed | dict(zip(single, chosen, strict=True))) for chosen in choices]

    def _renamed(self, requirement: tree.Requirement) -> Iterator[tuple[str, tree.Name]]:
        """Other names for aggregates that are named like a column of the table."""
        taken = {name.text.casefold() for names in self._matched.values() for name in names}
        process = process_of(requirement)
        for each in () if process is None else process.aggregates:
            text = each.alias.text
            while text.casefold() in taken:
                text = f"Computed {text}"
            if text != each.alias.text:
                yield each.alias.text.casefold(), tree.Name(text)

    def _single(self, node: Any) -> Iterator[str]:
        """The rule's columns that stand for one column each."""
        if isinstance(node, tree.Name):
            if node.text.casefold() in self._matched:
                yield node.text.casefold()
        elif not _is_list(node):
            for part in parts(node):
                yield from self._single(part)

    def _grouped_singly(self, requirement: tree.Requirement) -> list[tree.Name]:
        """The columns after GROUP BY that stand for one column each. A reference table does not list combinations, and
        without a column of persons there are no groups of one person's records."""
        process = process_of(requirement)
        if process is None:
            return []
        is_of_file = any(each.aggregate.file is not None for each in process.aggregates)
        return [name for name in process.group_by if is_of_file or name.text.casefold() == self._person]

    def _lists(self, node: Any) -> Iterator[list[str]]:
        if _is_list(node):
            yield [name.text.casefold() for name in node]
        else:
            for part in parts(node):
                yield from self._lists(part)

    def _rewrite(self, node: Any, chosen: Mapping[str, tree.Name]) -> Any:
        if isinstance(node, tree.Name):
            return chosen.get(node.text.casefold(), node)
        if isinstance(node, tree.Parameter):
            return self._values.get(node.name, node)
        if _is_list(node):
            return tuple(new for name in node for new in self._several(name, chosen))
        return _with_parts(node, lambda part: self._rewrite(part, chosen))

    def _several(self, name: tree.Name, chosen: Mapping[str, tree.Name]) -> Sequence[tree.Name]:
        key = name.text.casefold()
        return (chosen[key],) if key in chosen else self._matched.get(key, (name,))

    def _count_records(self, node: Any) -> Any:
        """The node with COUNT(*) in place of COUNT DISTINCT of persons that no column tells apart."""
        if isinstance(node, tree.Aggregate):
            return tree.Aggregate(tree.Function.COUNT) if self._is_of_persons(node) else node
        return _with_parts(node, self._count_records)

    def counts_persons(self, requirement: tree.Requirement) -> bool:
        """Whether a requirement of the written policy counts persons, or records in place of persons."""
        process = process_of(requirement)
        aggregates = () if process is None else process.aggregates
        is_counting = any(self._is_of_persons(each.aggregate) for each in aggregates)
        return is_counting and bool(self.for_table(requirement))

    def _is_of_persons(self, node: tree.Aggregate) -> bool:
        return node.file is None and node.column is not None and node.column.text.casefold() == self._person


def _matched_with(column: RuleColumn, columns: Columns) -> Sequence[str]:
    is_meant = column.unless is None or not columns.get(column.unless)
    return columns.get(column.name, ()) if is_meant else ()


def _is_list(node: Any) -> bool:
    return isinstance(node, tuple) and bool(node) and all(isinstance(each, tree.Name) for each in node)


def _with_parts(node: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(node, tuple):
        return tuple(map(change, node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    return replace(node, **{name: change(getattr(node, name)) for name in part_names(node)})
