"""A control for each column: what a policy does to the column in every record, and the edits of its text for a choice.

A column is kept, generalized by a map, replaced with `*`, or removed. The text stays the truth: lines that no control
can show, such as the steps for small classes or a PSEUDONYM, are listed with their words. A choice is offered only if
the edited text parses, has no new problem, and shows this choice and no other control changed.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias, assert_never

from acompass.assist.document import Document, leaf_name, line_edits
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import (
    Diagnostic,
    Edit,
    PolicyError,
    Source,
    Span,
    apply_edits,
    delete,
    insert,
)
from acompass.language.program.checker import check
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import INTEGER, TEXT, Column, Names, decimal
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_map, format_program, format_requirement
from acompass.language.text.parser import allowed_codes, parse_text
from acompass.language.text.tokens import spell_name, tokenize
from acompass.measure.levels import FittingMap, map_words


class Kind(StrEnum):
    KEPT = "as it is"
    GENERALIZED = "generalized"
    SUPPRESSED = "suppressed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a policy does to a column in every record."""

    kind: Kind
    map: tree.Map | None = None  # of GENERALIZED

    @property
    def key(self) -> str:
        """The name of the setting among the choices of a column."""
        return str(self.kind) if self.map is None else format_map(self.map)

    @property
    def words(self) -> str:
        match self.kind:
            case Kind.KEPT | Kind.REMOVED:
                return str(self.kind)
            case Kind.SUPPRESSED:
                return f"suppressed ({SUPPRESSED})"
            case Kind.GENERALIZED:
                assert self.map is not None
                return map_words(self.map)
            case _:
                assert_never(self.kind)


KEPT, SUPPRESSION, REMOVED = Setting(Kind.KEPT), Setting(Kind.SUPPRESSED), Setting(Kind.REMOVED)


@dataclass(frozen=True, slots=True)
class Choice:
    setting: Setting
    example: str | None
    edits: tuple[Edit, ...] | None  # None if the choice is not possible; empty for the current setting
    reason: str | None = None  # why it is not possible


@dataclass(frozen=True, slots=True)
class Line:
    """A step of the policy that writes or drops the column."""

    index: int  # among the steps, from 1
    line: int
    span: Span
    text: str  # the action
    words: str  # the records that it affects


@dataclass(frozen=True, slots=True)
class Control:
    column: str
    setting: Setting | None  # None if only the text can show it
    choices: tuple[Choice, ...]
    line: Line | None  # the line that the control edits
    others: tuple[Line, ...]  # lines that it cannot show


#: the problems of a policy: its text and the tree of the text
Problems: TypeAlias = Callable[[str, tree.Program], Sequence[Diagnostic]]


def can_follow(later: tree.Map, earlier: tree.Map, program: tree.Program) -> bool:
    """Whether one map of a column may follow another (X2)."""
    name = tree.Name("column")
    steps = (tree.Requirement(tree.Always(), tree.Generalize(name, map_)) for map_ in (earlier, later))
    both = replace(program, requirements=tuple(steps), comments=())
    return any(check(both, "", (Column(name.text, type_),))[0] is not None for type_ in (INTEGER, _DECIMAL, TEXT))


#: a decimal with room for the fractions of any map
_DECIMAL = decimal(9)


def maps_named(program: tree.Program, names: Names) -> dict[str, tuple[tree.Map, ...]]:
    """The maps that a policy names for each column, each once."""
    found: dict[str, dict[str, tree.Map]] = {}
    for step in walk.steps(program):
        generalize = walk.generalize_in(walk.step_of(step))
        if generalize is not None:
            for position in names.find(generalize.name.text)[:1]:
                found.setdefault(names.texts[position], {}).setdefault(format_map(generalize.map), generalize.map)
    return {column: tuple(maps.values()) for column, maps in found.items()}


def find_controls(
    document: Document,
    columns: Sequence[str],
    levels: Mapping[str, Sequence[FittingMap]],
    problems: Problems,
    only: Collection[str] | None = None,
) -> tuple[Control, ...]:
    """The control of each column of a table, for a policy that parses. `only` names the columns that get choices; the
    others get none, which is faster. Raise PolicyError if the text does not parse."""
    if document.policy is None:
        raise PolicyError(document.syntax_errors, document.text, document.path)
    page = _Page(document, Names(columns), problems)
    chosen = range(len(columns)) if only is None else [page.names.find(each)[0] for each in only]
    return tuple(
        page.control(position, levels.get(column, ()), has_choices=position in chosen)
        for position, column in enumerate(columns)
    )


@dataclass(frozen=True, slots=True)
class _Write:
    """A step that writes or drops a column."""

    index: int
    requirement: tree.Requirement
    place: int  # among the steps of the requirement's action
    step: tree.Step

    @property
    def is_always(self) -> bool:
        return walk.assertion_of(self.requirement) is None

    @property
    def setting(self) -> Setting | None:
        """The setting that the step alone gives to its column; None if no control can show it."""
        if not self.is_always or walk.chance_in(self.step) is not None:
            return None
        generalize, parts = walk.generalize_in(self.step), walk.parts_of(self.step)
        if generalize is not None:
            return Setting(Kind.GENERALIZED, generalize.map)
        if parts.dropped:
            return REMOVED
        return SUPPRESSION if parts.overwrites and parts.constants == (tree.String(SUPPRESSED),) else None

    @property
    def words(self) -> str:
        """The records that the step affects."""
        chance = walk.chance_in(self.step)
        some = "" if chance is None else ", by chance"
        if self.is_always:
            return f"every record{some}"
        if walk.process_of(self.requirement) is not None:
            return f"only in classes that miss the condition{some}"
        return f"only records that miss the condition{some}"


def _all_writes(program: tree.Program, names: Names) -> dict[int, list[_Write]]:
    found: dict[int, list[_Write]] = {}
    index = 0
    for requirement in program.requirements:
        for place, step in enumerate(() if requirement.action is None else walk.steps_in(requirement.action)):
            index += 1
            parts = walk.parts_of(step)
            for name in (*parts.written, *parts.dropped):
                for position in names.find(name.text)[:1]:
                    found.setdefault(position, []).append(_Write(index, requirement, place, step))
        index += requirement.action is None
    return found


def _setting(writes: Sequence[_Write]) -> Setting | None:
    """The setting of a column with these writes. Steps that affect only some records do not count."""
    always = [write for write in writes if write.is_always]
    if len(always) > 1:
        return None
    return always[0].setting if always else KEPT


class _Impossible(Exception):
    """A choice that no edit can make, with the reason."""


class _Page:
    """A policy's text, whose controls are wanted."""

    def __init__(self, document: Document, names: Names, problems: Problems):
        text, program = document.text, document.program
        self.text, self.program, self.names, self._problems = text, program, names, problems
        self.source = Source(text)
        self.writes = _all_writes(program, names)
        self.settings = self._settings(program)
        self._known = {each.message for each in problems(text, program)}
        self._is_formatted = format_program(text) == text

    def _settings(self, program: tree.Program) -> dict[int, Setting | None]:
        writes = _all_writes(program, self.names)
        return {position: _setting(found) for position, found in writes.items()}

    def control(self, position: int, levels: Sequence[FittingMap], *, has_choices: bool) -> Control:
        writes = self.writes.get(position, [])
        setting = _setting(writes)
        own = next((write for write in writes if write.setting is not None), None) if setting else None
        others = tuple(self._line(write) for write in writes if write is not own)
        line = None if own is None else self._line(own)
        choices: tuple[Choice, ...] = ()
        if has_choices and setting is not None:
            choices = tuple(self._choices(position, setting, own, levels))
        return Control(self.names.texts[position], setting, choices, line, others)

    def _line(self, write: _Write) -> Line:
        line, _ = self.source.position(write.step.span.start)
        span = write.step.span
        return Line(write.index, line, span, " ".join(self.text[span.start : span.end].split()), write.words)

    def _choices(
        self, position: int, current: Setting, own: _Write | None, levels: Sequence[FittingMap]
    ) -> Iterator[Choice]:
        known = [Setting(Kind.GENERALIZED, level.map) for level in levels]
        examples = {setting.key: level.example for setting, level in zip(known, levels, strict=True)}
        if current.kind is Kind.GENERALIZED and current not in known:
            known.append(current)
        for setting in (KEPT, *known, SUPPRESSION, REMOVED):
            example = examples.get(setting.key)
            if setting == current:
                yield Choice(setting, example, ())
                continue
            try:
                yield Choice(setting, example, self._choose(position, setting, current, own))
            except _Impossible as impossible:
                yield Choice(setting, example, None, str(impossible))

    def _choose(self, position: int, wanted: Setting, current: Setting, own: _Write | None) -> tuple[Edit, ...]:
        """The first edits that work. Raise _Impossible, with the reason for the first ones, if none do."""
        reason: str | None = None
        for edits in _Edits(self, position).candidates(wanted, current, own):
            text = apply_edits(self.text, edits)
            problem = self._problem(text, position, wanted)
            if problem is None:
                return self._formatted(edits, text)
            reason = reason or problem
        raise _Impossible(reason or "no edit of the text makes this choice")

    def _problem(self, text: str, position: int, wanted: Setting) -> str | None:
        """Why the edited text is not the choice that was made."""
        parsed, found = parse_text(text)
        program = replace(parsed, folder=self.program.folder, hierarchies=self.program.hierarchies)
        if found:
            return "the text around it cannot be edited safely"
        settings = self._settings(program)
        others = (settings.keys() | self.settings.keys()) - {position}
        changed = [at for at in others if settings.get(at, KEPT) != self.settings.get(at, KEPT)]
        if settings.get(position, KEPT) != wanted or changed:
            return "other lines of the policy decide it"
        new = next((each for each in self._problems(text, program) if each.message not in self._known), None)
        if new is None:
            return None
        line = f"line {Source(text).position(new.labels[0].span.start)[0]}: " if new.labels else ""
        return f"{line}{new.message}"

    def _formatted(self, edits: Sequence[Edit], text: str) -> tuple[Edit, ...]:
        """A formatted text stays formatted."""
        if self._is_formatted and (formatted := format_program(text)) != text:
            return line_edits(self.text, formatted)
        return tuple(edits)


class _Edits:
    """The edits of a policy's text that change the setting of a column."""

    def __init__(self, page: _Page, position: int):
        self._page, self._position = page, position
        self._text, self._program = page.text, page.program
        self._name = tree.Name(page.names.texts[position])
        self._tokens, self._comments = tokenize(page.text)
        self._newline = "\r\n" if "\r\n" in page.text else "\n"

    def candidates(self, wanted: Setting, current: Setting, own: _Write | None) -> Iterator[list[Edit]]:
        """Edits that may change the setting, the best ones first."""
        match wanted.kind:
            case Kind.KEPT:
                assert own is not None
                yield self._withdraw(own)
            case Kind.GENERALIZED | Kind.SUPPRESSED:
                yield from self._write(wanted, current, own)
            case Kind.REMOVED:
                yield from self._remove(own)
            case _:
                assert_never(wanted.kind)

    def _write(self, wanted: Setting, current: Setting, own: _Write | None) -> Iterator[list[Edit]]:
        action = self._action(wanted)
        is_shared = own is not None and len(walk.names_dropped(own.step)) > 1
        finer = self._finer_steps(wanted)
        if own is not None and not is_shared:
            replaced = self._replace_step(own.step, action)
            yield [replaced]
            if finer:
                yield [*finer, replaced]
        if own is None or current.kind is Kind.REMOVED:
            gone = [] if own is None else self._withdraw(own)
            first, *others = self._insertions(action)
            yield [*gone, first]
            if finer:
                yield from ([*gone, *finer, edit] for edit in (first, *others[:-1]))
            yield from ([*gone, edit] for edit in others)

    def _finer_steps(self, wanted: Setting) -> list[Edit]:
        """The edits that remove the steps for some records whose map cannot follow the new one. They would do nothing
        after it, and are errors (X2)."""
        useless: dict[int, tuple[tree.Requirement, set[int]]] = {}
        for write in self._page.writes.get(self._position, ()):
            earlier = walk.generalize_in(write.step)
            if write.is_always or earlier is None or wanted.map is None:
                continue
            if not can_follow(earlier.map, wanted.map, self._program):
                useless.setdefault(id(write.requirement), (write.requirement, set()))[1].add(write.place)
        return [edit for requirement, places in useless.values() for edit in self._remove_steps(requirement, places)]

    def _action(self, setting: Setting) -> tree.Plain:
        if setting.map is not None:
            return tree.Generalize(self._name, setting.map)
        if setting.kind is Kind.SUPPRESSED:
            return tree.Replace(self._name, tree.String(SUPPRESSED))
        return tree.Drop((self._name,))

    def _withdraw(self, own: _Write) -> list[Edit]:
        """Remove the column from the step, and the step with its last column."""
        dropped = walk.names_dropped(own.step)
        if len(dropped) > 1:
            return self._shorten(dropped)
        return self._remove_steps(own.requirement, {own.place})

    def _remove(self, own: _Write | None) -> Iterator[list[Edit]]:
        cleared = [edit for each in self._program.requirements for edit in self._clear(each, own)]
        dropped = (walk.names_dropped(walk.step_of(each)) for each in walk.steps(self._program))
        lists = (names[-1] for names in dropped if names)
        gone = [] if own is None else self._withdraw(own)
        for last in lists:
            yield [*cleared, *gone, insert(last.span.end, f", {spell_name(self._name.text, 'THEN')}")]
        if own is not None:
            yield [*cleared, self._replace_step(own.step, self._action(REMOVED))]
        else:
            for edit in self._insertions(self._action(REMOVED)):
                yield [*cleared, edit]

    def _clear(self, requirement: tree.Requirement, own: _Write | None) -> list[Edit]:
        """The edits after which a requirement no longer names the column. Raise _Impossible if it must."""
        steps = () if requirement.action is None else walk.steps_in(requirement.action)
        written: set[int] = set()
        for place, step in enumerate(steps):
            parts = walk.parts_of(step)
            is_own = own is not None and own.requirement is requirement and own.place == place
            if is_own or not self._is_named((*parts.written, *parts.read)):
                continue
            if len(parts.written) > 1 or self._is_named(parts.read):
                raise _Impossible(f"line {self._line(step.span)} needs the column")
            written.add(place)
        if written and len(written) == len(steps):
            return self._remove_steps(requirement, written)
        self._require_unread(requirement)
        process = walk.process_of(requirement)
        groups = [] if process is None else self._shorten_groups(process)
        return [*groups, *(self._remove_steps(requirement, written) if written else [])]

    def _require_unread(self, requirement: tree.Requirement) -> None:
        read = [leaf_name(leaf) for each in walk.all_conditions(requirement) for leaf in walk.leaves(each)]
        process = walk.process_of(requirement)
        if process is not None:
            counted = (each.aggregate for each in process.aggregates if each.aggregate.file is None)
            read += [each.column for each in counted if each.column is not None]
        for name in read:
            if self._is_named((name,)):
                raise _Impossible(f"line {self._line(name.span)} reads the column")

    def _shorten_groups(self, process: tree.Process) -> list[Edit]:
        if not self._is_named(process.group_by):
            return []
        if len(process.group_by) == 1:
            raise _Impossible(f"line {self._line(process.group_by[0].span)} groups by this column alone")
        return self._shorten(process.group_by)

    def _is_named(self, names: Sequence[tree.Name]) -> bool:
        return any(self._page.names.find(name.text) == (self._position,) for name in names)

    def _line(self, span: Span) -> int:
        return self._page.source.position(span.start)[0]

    def _replace_step(self, step: tree.Step, action: tree.Plain) -> Edit:
        """Replace a step, or only the map of a GENERALIZE. Comments inside are put behind it."""
        before, after = walk.generalize_in(step), walk.generalize_in(action)
        if before is not None and after is not None:
            return self._replace(before.map.span, format_map(after.map))
        return self._replace(step.span, _spell(action).removeprefix("ALWAYS : ").removesuffix(";"))

    def _replace(self, span: Span, text: str) -> Edit:
        inside = [each.text for each in self._comments if span.start <= each.span.start < span.end]
        kept = "".join(f" {each}{self._newline if each.startswith('--') else ''}" for each in inside)
        return Edit(span, text + kept)

    def _insertions(self, action: tree.Plain) -> Iterator[Edit]:
        """A new line before the first requirement that names the column, before the first that groups by it, after the
        last one that names it; if none does, after the first lines with ALWAYS."""
        requirements = self._program.requirements
        named = [place for place, each in enumerate(requirements) if self._names_column(each)]
        groups = [place for place in named if self._groups(requirements[place])]
        if not named:
            always = [walk.assertion_of(each) is None for each in requirements]
            yield self._insert_line(always.index(False) if False in always else len(always), action)
            return
        places = (named[0], *groups[:1], named[-1] + 1)
        yield from (self._insert_line(place, action) for place in dict.fromkeys(places))

    def _names_column(self, requirement: tree.Requirement) -> bool:
        names = [leaf_name(leaf) for each in walk.all_conditions(requirement) for leaf in walk.leaves(each)]
        process = walk.process_of(requirement)
        if process is not None:
            names += process.group_by
            names += [each.aggregate.column for each in process.aggregates if each.aggregate.column is not None]
        for step in walk.steps_of(requirement):
            parts = walk.parts_of(walk.step_of(step))
            names += (*parts.written, *parts.read)
        return self._is_named(names)

    def _groups(self, requirement: tree.Requirement) -> bool:
        process = walk.process_of(requirement)
        return process is not None and self._is_named(process.group_by)

    def _insert_line(self, place: int, action: tree.Plain) -> Edit:
        """Put a line before the requirement at this place, below what precedes it, or at the end."""
        requirements, line = self._program.requirements, _spell(action)
        end = self._newline
        if place == 0 and requirements:
            return self._insert_first(requirements[0], line)
        if not requirements:
            before = self._text.rstrip()
            return Edit(Span(len(before), len(self._text)), f"{end * 2 if before else ''}{line}{end}")
        above = requirements[place - 1]
        tail = self._line_tail(above.span.end)
        if tail is None:  # another requirement begins on the same line
            return insert(above.span.end, f"{end}{line}{end}")
        return insert(tail, f"{end}{line}")

    def _insert_first(self, first: tree.Requirement, line: str) -> Edit:
        """Put a line above the first requirement and its `allow` comments, but below the comments of the policy."""
        start = self._line_start(first.span.start)
        for comment in reversed(self._comments):
            is_above = comment.span.end <= start and not self._text[comment.span.end : start].strip()
            if is_above and len(allowed_codes(parse_text(f"{comment.text}\n{line}")[0])) > 0:
                start = self._line_start(comment.span.start)
        return insert(start, f"{line}{self._newline}")

    def _line_start(self, offset: int) -> int:
        return max(self._text.rfind("\n", 0, offset), self._text.rfind("\r", 0, offset)) + 1

    def _line_tail(self, offset: int) -> int | None:
        """The end of the line if only comments follow an offset on it; None if there is more."""
        while True:
            blank = len(self._text[offset:]) - len(self._text[offset:].lstrip(" \t"))
            at = offset + blank
            if at >= len(self._text) or self._text[at] in "\r\n":
                return at if blank == 0 else offset
            comment = next((each for each in self._comments if each.span.start == at), None)
            if comment is None:
                return None
            offset = comment.span.end

    def _shorten(self, names: Sequence[tree.Name]) -> list[Edit]:
        """Take the column off a list of several names, with the comment next to it if no other name is on its line."""
        place = next(at for at, name in enumerate(names) if self._is_named((name,)))
        name = names[place]
        if place + 1 < len(names):
            following = names[place + 1].span.start
            comma = next(token for token in self._tokens if token.start >= name.span.end)
            tail = self._line_tail(comma.span.end)
            if tail is None:
                return [delete(Span(name.span.start, following))]
            if place == 0 or not self._are_on_one_line(names[place - 1].span, name.span):
                is_next = not self._text[tail:following].strip()
                return [delete(Span(name.span.start, following if is_next else tail))]
        comma = next(token for token in reversed(self._tokens) if token.start < name.span.start)
        if self._are_on_one_line(comma.span, name.span):
            return [delete(Span(comma.start, name.span.end))]
        tail = self._line_tail(name.span.end)
        start = self._blank_start(name.span.start, whole_line=tail is not None)
        return [delete(comma.span), delete(Span(start, name.span.end if tail is None else tail))]

    def _are_on_one_line(self, first: Span, second: Span) -> bool:
        return self._line(first) == self._line(second)

    def _blank_start(self, offset: int, *, whole_line: bool) -> int:
        """The start of the blanks before an offset; of the line breaks too, if the rest of the line is removed."""
        return len(self._text[:offset].rstrip() if whole_line else self._text[:offset].rstrip(" \t"))

    def _remove_steps(self, requirement: tree.Requirement, places: Collection[int]) -> list[Edit]:
        """Remove steps with the comments next to them, and the requirement with its last step."""
        assert requirement.action is not None
        steps = walk.steps_in(requirement.action)
        kept = [place for place in range(len(steps)) if place not in places]
        if not kept:
            return [self._remove_requirement(requirement)]
        edits = [self._remove_leading(steps[place], steps[place + 1]) for place in places if place < kept[0]]
        for place in sorted(place for place in places if place > kept[0]):
            then = next(token for token in reversed(self._tokens) if token.start < steps[place].span.start)
            is_last = place == len(steps) - 1
            end = requirement.span.end if is_last else steps[place].span.end
            tail = self._line_tail(end)
            start = self._blank_start(then.start, whole_line=tail is not None)
            edits.append(delete(Span(start, end if tail is None else tail)))
        if kept[-1] < len(steps) - 1:
            edits.append(insert(steps[kept[-1]].span.end, ";"))
        return edits

    def _remove_leading(self, step: tree.Step, following: tree.Step) -> Edit:
        """Remove a step and the THEN after it. Comments on lines of their own stay."""
        tail = self._line_tail(step.span.end)
        first = step.span.end if tail is None else tail
        between = [each for each in self._comments if first <= each.span.start < following.span.start]
        kept = "".join(f"{each.text}{self._newline}" for each in between)
        return Edit(Span(step.span.start, following.span.start), kept)

    def _remove_requirement(self, requirement: tree.Requirement) -> Edit:
        """Remove a requirement with the comment next to it and, if it is alone on its lines, the lines."""
        start, tail = requirement.span.start, self._line_tail(requirement.span.end)
        line = self._line_start(start)
        if tail is None or self._text[line:start].strip():
            return delete(Span(start, requirement.span.end))
        end = tail + len(self._newline) if tail < len(self._text) else tail
        is_apart = not self._text[:line].strip() or self._text[:line].endswith(self._newline * 2)
        if is_apart and self._text[end:].startswith(self._newline):
            end += len(self._newline)
        return delete(Span(line, end))


def _spell(action: tree.Plain) -> str:
    return format_requirement(tree.Requirement(tree.Always(), action))
