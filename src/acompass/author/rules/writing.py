"""Rewrite a rule for a table: its columns become those of the table, its parameters numbers.

A column of the rule that stands in a list becomes all columns that were matched with it. Elsewhere the requirement is
repeated for each of them. A requirement with a column that was matched with none is left out. If no column tells
persons apart, each record is a person."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from acompass.author.rules.library import Clause, Rule, RuleColumn, comment_before
from acompass.dataclasses import fields, is_dataclass, replace
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.text import tree
from acompass.language.text.formatter import format_requirement, remark_lines
from acompass.language.text.walk import reference_files
from acompass.policy import Policy, parse

#: the columns of the table for each column of the rule
Columns: TypeAlias = Mapping[str, Sequence[str]]
Params: TypeAlias = Mapping[str, ParamValue] | None


def write_policy(rule: Rule, columns: Columns, params: Params = None) -> str:
    """The text of the rule's policy for a table with these columns."""
    rewriter = _Rewriter(rule, columns, params)
    header = [f"Rule {rule.name}: {rule.title}. Source of {rule.dated}: {rule.source}", f"Review by {rule.review}."]
    blocks = [[line for paragraph in header for line in remark_lines(paragraph)]]
    for requirement in rule.policy.tree.requirements:
        made = rewriter.for_table(requirement)
        if made:
            remarks = (line for text in comment_before(rule.policy.tree, requirement) for line in remark_lines(text))
            blocks.append([*remarks, *map(format_requirement, made)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def clauses_for(rule: Rule, columns: Columns, params: Params = None) -> Iterator[tuple[Clause, Policy | None]]:
    """Each clause as a policy for a table with these columns; None if the table has none of its columns."""
    rewriter = _Rewriter(rule, columns, params)
    for clause in rule.clauses:
        text = "\n".join(map(format_requirement, rewriter.for_table(clause.requirement)))
        yield clause, policy_with_files(rule, text, columns) if text else None


def policy_with_files(rule: Rule, text: str, columns: Columns) -> Policy:
    """A policy that finds the reference tables of the rule, for a table with these columns."""
    policy = parse(text, f"{rule.name}.acp")
    contents = {name: reference_content(rule, name, columns) for name in reference_files(policy.tree)}
    return replace(policy, tree=replace(policy.tree, folder=str(rule.folder), hierarchies=contents))


def reference_content(rule: Rule, file: str, columns: Columns) -> bytes:
    """A reference table whose columns have the names of the user's table, where X14 looks for them."""
    rows = list(csv.reader(io.StringIO((rule.folder / file).read_text(encoding="utf-8"))))
    places = [(at, name) for at, own in enumerate(rows[0]) for name in columns.get(own) or (own,)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for _, name in places])
    writer.writerows([row[at] for at, _ in places] for row in rows[1:])
    return out.getvalue().encode()


class _Rewriter:
    """Rewrites requirements over a rule's columns for a table with other ones."""

    def __init__(self, rule: Rule, columns: Columns, params: Params):
        self._matched = {
            column.name.casefold(): tuple(map(tree.Name, _matched_with(column, columns))) for column in rule.columns
        }
        person = None if rule.person is None else rule.person.casefold()
        self._absent_person = person if person is not None and not self._matched[person] else None
        self._values = Parameters({each.name: each.value for each in rule.parameters} | dict(params or {}))

    def for_table(self, requirement: tree.Requirement) -> list[tree.Requirement]:
        """What becomes of a requirement; nothing if the table lacks one of its columns."""
        counted = self._count_records(requirement)
        single, lists = list(dict.fromkeys(self._single(counted))), list(self._lists(counted))
        if not all(any(self._matched.get(key, (None,)) for key in each) for each in lists):
            return []
        choices = product(*(self._matched[key] for key in single))
        return [self._rewrite(counted, dict(zip(single, chosen, strict=True))) for chosen in choices]

    def _single(self, node: Any) -> Iterator[str]:
        """The rule's columns that stand for one column each."""
        if isinstance(node, tree.Name):
            if node.text.casefold() in self._matched:
                yield node.text.casefold()
        elif not _is_list(node):
            for part in _parts(node):
                yield from self._single(part)
        if _is_of_file(node):  # a file is joined with one column, not with a combination of several
            for name in node.group_by:
                yield from self._single(name)

    def _lists(self, node: Any) -> Iterator[list[str]]:
        if _is_list(node):
            yield [name.text.casefold() for name in node]
        else:
            for part in _parts(node):
                yield from self._lists(part)

    def _rewrite(self, node: Any, chosen: Mapping[str, tree.Name]) -> Any:
        if isinstance(node, tree.Name):
            return chosen.get(node.text.casefold(), node)
        if isinstance(node, tree.Parameter):
            return self._values.bind(node) or node
        if _is_list(node):
            return tuple(new for name in node for new in self._several(name, chosen))
        return _with_parts(node, lambda part: self._rewrite(part, chosen))

    def _several(self, name: tree.Name, chosen: Mapping[str, tree.Name]) -> Sequence[tree.Name]:
        key = name.text.casefold()
        return (chosen[key],) if key in chosen else self._matched.get(key, (name,))

    def _count_records(self, node: Any) -> Any:
        """The node with COUNT(*) in place of COUNT DISTINCT of persons that no column tells apart."""
        if isinstance(node, tree.Aggregate):
            is_of_persons = node.column is not None and node.column.text.casefold() == self._absent_person
            return tree.Aggregate(tree.Function.COUNT) if is_of_persons and node.file is None else node
        return _with_parts(node, self._count_records)


def _matched_with(column: RuleColumn, columns: Columns) -> Sequence[str]:
    is_meant = column.unless is None or not columns.get(column.unless)
    return columns.get(column.name, ()) if is_meant else ()


def _is_list(node: Any) -> bool:
    return isinstance(node, tuple) and bool(node) and all(isinstance(each, tree.Name) for each in node)


def _is_of_file(node: Any) -> bool:
    return isinstance(node, tree.Process) and any(each.aggregate.file is not None for each in node.aggregates)


def _parts(node: Any) -> Iterator[Any]:
    """What a node consists of, without the column of a reference table, which is the file's (X14)."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node):
        yield from (getattr(node, name) for name in _part_names(node))


def _part_names(node: Any) -> list[str]:
    is_of_file = isinstance(node, tree.Aggregate) and node.file is not None
    return [each.name for each in fields(node) if not (is_of_file and each.name == "column")]


def _with_parts(node: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(node, tuple):
        return tuple(map(change, node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    return replace(node, **{name: change(getattr(node, name)) for name in _part_names(node)})
