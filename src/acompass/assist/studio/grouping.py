"""How the values of a column are grouped: a specification from the hierarchy editor, the maps that it means, what each
group holds, and the policy's line.

The language's own check decides whether a map is valid, so the editor never offers a line that a run would reject."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from http import HTTPStatus
from pathlib import Path

from acompass.assist.controls import find_controls
from acompass.assist.document import Document, used_params
from acompass.assist.studio.answers.release import path_in_folder
from acompass.assist.studio.messages import Body, Refused
from acompass.assist.studio.question import Ask, facts
from acompass.assist.studio.state import Project
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import (
    AcompassError,
    CallError,
    Canceled,
    Diagnostic,
    Edit,
    PolicyError,
    Source,
    apply_edits,
)
from acompass.language.program.checker import check
from acompass.language.program.effects import map_of
from acompass.language.program.hierarchies import (
    TOP,
    Hierarchy,
    hierarchy_text,
    parse_hierarchy,
    problem_summary,
    read_small_file,
)
from acompass.language.program.kernels import Map
from acompass.language.program.types import Names, Schema
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.language.text.tokens import spell_name
from acompass.language.text.walk import assertion_of, generalize_in, hierarchy_files, step_of, steps
from acompass.measure.answer import Form
from acompass.measure.hierarchy import (
    ByFile,
    Spec,
    Values,
    column_values,
    invalid_sizes,
    is_integer,
    is_number,
    levels_of_file,
    parse_spec,
)
from acompass.measure.levels import FittingMap
from acompass.measure.records import Texts
from acompass.options import DROP, MissingArgument
from acompass.policy import Policy, as_policy
from acompass.tables.formats import COMMA, swap_decimal_marks

#: a column with more distinct values is not grouped value by value
MOST_VALUES = 5_000
_MISSING = "AC212"
#: the kinds of groups that read a column as numbers
_BANDS = ("bands", "at")


@dataclass(frozen=True)
class Subject:
    """The column that the editor shows."""

    ask: Ask
    column: str
    #: whether its numbers have a decimal comma, as LEVEL and PREFIX read them from the file; bands have points
    has_commas: bool

    @classmethod
    def of(cls, ask: Ask) -> "Subject":
        column, body = ask.body.text("column"), ask.body
        if column not in ask.project.queue.session.columns:
            raise Refused(HTTPStatus.NOT_FOUND, "the table has no such column")
        has_bands = body.has("spec") and body.part("spec").text("kind") in _BANDS
        return cls(ask, column, ask.project.reading.get("decimal") == COMMA and not has_bands)

    @property
    def with_points(self) -> "Subject":
        return replace(self, has_commas=False)

    @cached_property
    def texts(self) -> Texts:
        """Of all records, even if the page shows a sample: a hierarchy must cover every value."""
        if self.has_commas:
            found = self.with_points.texts
            return replace(found, counts={swap_decimal_marks(text): count for text, count in found.counts.items()})
        project, body = self.ask.project, self.ask.body
        return project.recall(
            ("texts", self.column),
            lambda: project.ask_whole(body, lambda session: session.column_texts(self.column)),
        )

    @cached_property
    def values(self) -> Values:
        if self.has_commas:
            found = self.with_points.values
            return replace(found, texts=tuple(map(swap_decimal_marks, found.texts)))
        return self.ask.project.recall(
            ("values", self.column), lambda: column_values(self.column, self.texts.counts, self.texts.missing)
        )

    def spell_for_file(self, text: str) -> str:
        """A value, or its label, as LEVEL reads it from a hierarchy file."""
        is_swapped = self.ask.project.reading.get("decimal") == COMMA and not self.has_commas
        return swap_decimal_marks(text) if is_swapped else text

    @property
    def is_wide(self) -> bool:
        """Whether the column has too many values to list or to sort them."""
        return len(self.texts.counts) > MOST_VALUES

    @property
    def ordered_texts(self) -> Iterable[str]:
        """Numbers by size and other texts by code point, with the empty text at the end; of a wide column unordered."""
        counts = self.texts.counts
        if self.is_wide:
            return counts
        return [*(self.values.texts if any(counts) else ()), *([""] if "" in counts else [])]

    @cached_property
    def numbers(self) -> dict[Decimal, int]:
        """The number of records with each number; other values are left out."""
        return self.ask.project.recall(("numbers", self.column), self._count_numbers)

    def _count_numbers(self) -> dict[Decimal, int]:
        found: Counter[Decimal] = Counter()
        for text, count in self.with_points.texts.counts.items():
            if is_number(text):
                found[Decimal(text)] += count
        return dict(found)

    @property
    def has_only_integers(self) -> bool:
        return all(is_integer(text) for text in self.with_points.texts.counts if is_number(text))

    @cached_property
    def form(self) -> Form:
        known = {each.name: each.form for each in facts(self.ask.project, self.ask.body)}
        return known[self.column]

    @property
    def shows_values(self) -> bool:
        return self.ask.project.show_records

    def schema(self, map_: str) -> Schema:
        """The types of the columns if the policy applies such a map to this one."""
        project, policy = self.ask.project, _only_line(self.column, map_)
        return project.recall(
            ("schema", self.column, map_),
            lambda: project.ask_whole(self.ask.body, lambda session: session.schema(policy, missing="drop")),
        )

    @cached_property
    def lines(self) -> "list[OwnLine]":
        """Every GENERALIZE of the column in the policy, in the order of the text."""
        columns = self.ask.project.queue.session.columns
        names, place = Names(columns), columns.index(self.column)
        found = ((generalize_in(step_of(step)), step) for step in steps(self.ask.document.program))
        return [
            OwnLine(each, assertion_of(step) is None)
            for each, step in found
            if each is not None and names.find(each.name.text) == (place,)
        ]


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A step that generalizes the column."""

    generalize: tree.Generalize
    is_always: bool  # for every record


@dataclass(frozen=True)
class Draft:
    kind: str  # of groups
    maps: tuple[tree.Map, ...]  # one for each level
    level: int  # the one that the policy's line uses
    files: Mapping[str, bytes] = field(default_factory=dict)  # the file that LEVEL names, before it is saved
    #: as `hierarchies` in an acompass.toml; None if only a file can say it
    search: str | None = None

    @property
    def map(self) -> tree.Map:
        return self.maps[self.level - 1]


_NUMBER = re.compile(r"[+-]?([0-9]{1,30})(\.[0-9]{1,18})?")
_LENGTH = re.compile(r"[0-9]{1,9}")


def parse_draft(subject: Subject) -> Draft:
    """Raise CallError if the specification cannot be written as maps."""
    spec = subject.ask.body.part("spec")
    maps: tuple[tree.Map, ...]
    files: dict[str, bytes] = {}
    search = None
    match spec.text("kind"):
        case "bands":
            _require_no_codes(subject)
            maps, search = _bands(spec)
        case "at":
            _require_no_codes(subject)
            maps = (tree.BandsAt(tuple(map(_number, _some(spec.names("cuts"), "boundary", "18")))),)
        case "prefix":
            lengths = _some(spec.names("lengths"), "length", "4")
            maps = tuple(tree.PrefixOf(_length(length)) for length in lengths)
            search = f"prefix:{','.join(length.strip() for length in lengths)}"
        case "dates":
            units = [_unit(unit) for unit in _some(spec.names("units"), "unit", "YEAR")]
            maps = tuple(map(tree.DatePart, units))
            search = "dates" if set(units) == set(tree.DateUnit) else None
        case "groups" | "file" as kind:
            file = spec.text("file")
            content = _groups_file(spec) if kind == "groups" else read_file(subject.ask, file)
            maps, files = _levels(file, content, spec), {file: content}
            search = levels_of_file(subject.ask.project.path_in_settings(file)) if kind == "file" else None
        case _:
            raise Refused(HTTPStatus.BAD_REQUEST, "unknown kind of groups")
    level = spec.number("level")
    if not 1 <= level <= len(maps):
        raise invalid_sizes(f"there is no level {level}", f"use a level from 1 to {len(maps)}")
    return Draft(spec.text("kind"), maps, level, files, search)


def _require_no_codes(subject: Subject) -> None:
    """Reject bands of codes: postal codes that are close as numbers have nothing in common."""
    if subject.form == "code":
        message = f"column `{subject.column}` has codes, which are not banded as numbers"
        raise invalid_sizes(message, "shorten the codes to a prefix, or group them")


def _bands(spec: Body) -> tuple[tuple[tree.Map, ...], str | None]:
    start, end = (_number(spec.text(key)) if spec.has(key) else None for key in ("from", "up_to"))
    widths = [_number(width) for width in _some(spec.names("widths"), "width", "5")]
    listed = ",".join(f"{width.value:f}" for width in widths)
    search = f"bands:{listed}" if start is None and end is None else None
    return tuple(tree.BandsOf(width, start, end) for width in widths), search


def _some(items: Sequence[str], noun: str, example: str) -> Sequence[str]:
    if not items:
        raise invalid_sizes(f"no {noun} is given", f"write for example `{example}`")
    return items


def _number(text: str) -> tree.Number:
    if not _NUMBER.fullmatch(text.strip()):
        raise invalid_sizes(f"`{text}` is not a number", "write for example `18` or `-0.5`")
    return tree.Number(Decimal(text.strip()))


def _length(text: str) -> tree.Number:
    if not _LENGTH.fullmatch(text.strip()):
        raise invalid_sizes(f"`{text}` is not a number of characters", "write for example `3`")
    return tree.Number(Decimal(text.strip()))


def _unit(text: str) -> tree.DateUnit:
    found = next((unit for unit in tree.DateUnit if unit == text), None)
    if found is None:
        raise invalid_sizes(f"`{text}` is not a unit of dates", f"use one of {', '.join(tree.DateUnit)}")
    return found


def _groups_file(spec: Body) -> bytes:
    """The file of groups that the page edits. Unless the last level is `*` throughout, such a level is added."""
    given = spec.rows("rows")
    if not given:
        raise invalid_sizes("no value has a group", "select values and merge them into a group")
    top = () if all(row[-1:] == (TOP,) for row in given) else (TOP,)
    return hierarchy_text((*row, *top) for row in given).encode()


def read_file(ask: Ask, name: str) -> bytes:
    """A file in the policy's folder, or one elsewhere that the policy or the project already names. Raise CallError if
    it cannot be read."""
    is_named = name in (*hierarchy_files(ask.document.program), *_project_files(ask.project))
    path = Path(ask.document.folder, name) if is_named else path_in_folder(ask.project, name)
    try:
        return read_small_file(path)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "unknown reason").lower()
        raise invalid_sizes(f"cannot read hierarchy `{name}`: {reason}", "check the name of the file") from None


def _project_files(project: Project) -> Iterator[str]:
    """The hierarchy files of the project, as the policy would name them."""
    for column in project.settings.current.hierarchies:
        spec = project_spec(project, column)
        if isinstance(spec, ByFile):
            yield spec.path


def project_spec(project: Project, column: str) -> Spec | None:
    """The hierarchy of the project for a column, whose file is named as in the policy. None if there is none, or if it
    is not valid, as a search says."""
    try:
        levels = project.levels([column])
        spec = parse_spec(levels[column]) if levels else None
    except CallError:
        return None
    return ByFile(project.path_in_policy(spec.path)) if isinstance(spec, ByFile) else spec


def _levels(file: str, content: bytes, spec: Body) -> tuple[tree.Map, ...]:
    found = parse_hierarchy(content)
    if not isinstance(found, Hierarchy):
        raise invalid_sizes(problem_summary(found), "correct the groups")
    otherwise = tree.String(spec.text("otherwise")) if spec.has("otherwise") else None
    levels = range(1, found.levels + 1)
    return tuple(tree.LevelOf(tree.Number(Decimal(level)), tree.String(file), otherwise) for level in levels)


def _only_line(column: str, *maps: str) -> str:
    return "\n".join(_always(column, map_) for map_ in maps)


def _always(column: str, map_: str) -> str:
    return f"ALWAYS : {step_text(column, map_)};"


def step_text(column: str, map_: str) -> str:
    return f"GENERALIZE {spell_name(column, 'TO')} TO {map_}"


def checked_maps(subject: Subject, draft: Draft) -> tuple[Map, ...]:
    """The maps as the language checks them, one after the other. Raise PolicyError if one of them is invalid."""
    texts = [format_map(map_) for map_ in draft.maps]
    schema = subject.schema(_TYPING.get(draft.kind, "PREFIX OF 1"))
    policy = as_policy(_only_line(subject.column, *texts))
    program, problems = check(_with_files(policy, draft, subject.ask).tree, policy.text, schema)
    if program is None:
        raise PolicyError([replace(each, labels=(), fixes=()) for each in problems[:1]])
    maps = (map_of(each.action) for each in program.requirements)
    return tuple(map_ for map_ in maps if map_ is not None)


#: for each kind of groups, a map that gives the column the same type: the table is read once for all maps like it
_TYPING = {"bands": "BANDS OF 1", "at": "BANDS OF 1", "dates": "YEAR"}


def _with_files(policy: Policy, draft: Draft, ask: Ask) -> Policy:
    folder = ask.document.folder
    return replace(
        policy, tree=replace(policy.tree, folder=folder, hierarchies={**policy.tree.hierarchies, **draft.files})
    )


# what the groups hold


@dataclass(frozen=True, slots=True)
class Group:
    label: str
    texts: list[str]
    records: int


@dataclass(frozen=True)
class Coverage:
    """The groups of one level, and the values that have none."""

    groups: tuple[Group, ...]
    uncovered: tuple[str, ...]
    #: values that only ELSE gives a label
    others: tuple[str, ...]

    @property
    def smallest(self) -> Group | None:
        return min(self.groups, key=lambda group: group.records, default=None)


def cover(map_: Map, subject: Subject) -> Coverage:
    counts = subject.texts.counts
    listed = None if map_.listed_texts is None else frozenset(map_.listed_texts)
    texts: dict[str, list[str]] = {}
    uncovered, others = [], []
    for text in subject.ordered_texts:
        label = map_.label(text)
        if label is None:
            uncovered.append(text)
            continue
        texts.setdefault(label, []).append(text)
        if listed is not None and text not in listed and text != TOP:
            others.append(text)
    groups = [Group(label, inside, sum(counts[text] for text in inside)) for label, inside in texts.items()]
    if subject.is_wide:
        groups.sort(key=_order)
    return Coverage(tuple(groups), tuple(uncovered), tuple(others))


def _order(group: Group) -> tuple[bool, Decimal, str]:
    """Bands are ordered by any of their numbers, other groups by their label."""
    first = group.texts[0]
    return (False, Decimal(first), "") if is_number(first) else (True, Decimal(0), group.label)


@dataclass(frozen=True, slots=True)
class Placement:
    edits: tuple[Edit, ...]
    #: errors that the policy has with the edits and not without
    problems: tuple[Diagnostic, ...]
    notes: tuple[str, ...]


def place_line(subject: Subject, draft: Draft) -> Placement:
    """Change the chosen line, or generalize the column in every record."""
    ask = subject.ask
    if ask.document.policy is None:
        found = Diagnostic("AC610", "the policy has a syntax error", help="correct it first; the groups are kept")
        return Placement((), (found,), ())
    chosen = ask.body.number("line") if ask.body.has("line") else None
    own = subject.lines[chosen] if chosen is not None and 0 <= chosen < len(subject.lines) else None
    known = {(each.code, each.message) for each in _errors(ask, ask.document, draft)}
    if own is None or own.is_always:
        edits = _control_edits(subject, draft)
        if edits is not None and not isinstance(edits, str) and not _removes_lines(ask, edits):
            placed = _try(ask, edits, draft, known)
            after = Document(apply_edits(ask.document.text, edits), ask.document.path)
            return replace(placed, notes=(*placed.notes, *_removed_steps(ask.document, after)))
        if own is None:
            reason = edits if isinstance(edits, str) else f"other lines of the policy decide about `{subject.column}`"
            return Placement((), (Diagnostic("AC610", reason, help="choose the line to change"),), ())
    return _try(ask, (Edit(own.generalize.map.span, format_map(draft.map)),), draft, known)


def _control_edits(subject: Subject, draft: Draft) -> tuple[Edit, ...] | str | None:
    """The edits that the control of the column makes, or why it makes none; None if it cannot show the policy."""
    ask = subject.ask

    def problems(text: str, _: tree.Program) -> tuple[Diagnostic, ...]:
        found = _errors(ask, Document(text, ask.document.path), draft)
        return tuple(each for each in found if each.code != _MISSING)

    levels = {subject.column: (FittingMap(draft.map, 0, None),)}
    columns = ask.project.queue.session.columns
    controls = find_controls(ask.document, columns, levels, problems, [subject.column])
    choices = next(each for each in controls if each.column == subject.column).choices
    choice = next((each for each in choices if each.setting.map == draft.map), None)
    if choice is None:
        return None
    return choice.reason if choice.edits is None else choice.edits


def _removes_lines(ask: Ask, edits: tuple[Edit, ...]) -> bool:
    """A control removes steps that would do nothing, and with its last step a requirement, which may be a check."""
    after = Document(apply_edits(ask.document.text, edits), ask.document.path).program.requirements
    return len(after) < len(ask.document.program.requirements)


def _try(ask: Ask, edits: tuple[Edit, ...], draft: Draft, known: set[tuple[str, str]]) -> Placement:
    after = Document(apply_edits(ask.document.text, edits), ask.document.path)
    found = [each for each in _errors(ask, after, draft) if (each.code, each.message) not in known]
    problems = tuple(_with_line(each, after.source) for each in found if each.code != _MISSING)
    missing = [each.message for each in found if each.code == _MISSING]
    return Placement(
        edits, problems, tuple(f"{each}; choose in the first step what happens to them" for each in missing)
    )


def _removed_steps(before: Document, after: Document) -> Iterator[str]:
    """A control removes the steps of other lines that would do nothing after the new one."""
    left = list(_partial_steps(after))
    for text in _partial_steps(before):
        if text in left:
            left.remove(text)
        else:
            yield f"a step that would do nothing is removed: {text}"


def _partial_steps(document: Document) -> Iterator[str]:
    """The steps that generalize only some records."""
    for step in steps(document.program):
        generalize = generalize_in(step_of(step))
        if generalize is not None and assertion_of(step) is not None:
            yield f"GENERALIZE {generalize.name.text} TO {format_map(generalize.map)}"


def _with_line(found: Diagnostic, source: Source) -> Diagnostic:
    """The line instead of the place: the editor does not show the text with the edits."""
    if not found.labels:
        return found
    line, _ = source.position(found.labels[0].span.start)
    return replace(found, message=f"{found.message} (line {line})", labels=(), fixes=())


def _errors(ask: Ask, document: Document, draft: Draft) -> tuple[Diagnostic, ...]:
    """The errors that a run of the text would report."""
    if document.policy is None:
        return document.syntax_errors
    if not document.policy.tree.requirements:
        return ()
    policy, params = _with_files(document.policy, draft, ask), used_params(document, ask.params)

    def find(missing: MissingArgument | None) -> tuple[Diagnostic, ...]:
        try:
            ask.project.ask_whole(ask.body, lambda session: session.checked(policy, params=params, missing=missing))
        except Canceled:
            raise
        except AcompassError as error:
            return error.diagnostics
        return ()

    found = find(None)
    incomplete = tuple(each for each in found if each.code == _MISSING)
    return (*incomplete, *find(DROP)) if incomplete else found
