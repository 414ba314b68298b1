"""Decide whether a new policy releases more than an old one.

It releases no more if, on every table and trace, each record that it writes is among those that the old policy writes,
as often, with every value as it was there or coarser. `Containment` tries to prove that; `WrittenTables.is_more`
refutes it on a table that both policies are run on. docs/compare.md defines coarser values and has the proof."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program.aggregates import Change
from acompass.language.program.kernels import Kernel, Nearest
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.program import And, Assertion, Comparison, Condition, Not, Or, Program, Requirement
from acompass.language.program.types import TEXT, Kind, Type, remaining, to_text
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.proof import Exhausted, recursion_limit
from acompass.prove.refute.replay import Record
from acompass.prove.search.claims import assertion_columns, check_steps
from acompass.prove.search.prover import Provers
from acompass.reason.compare.answer import Difference, Releases, WrittenTable
from acompass.reason.compare.counterexamples import Examples, Hint, Search, Trace, replay_program
from acompass.reason.compare.equivalence import Equivalence, Lockstep, Mismatch, effective_lines, undecided_reason
from acompass.reason.compare.pairs import Pair
from acompass.reason.compare.symbols import (
    Constant,
    Derived,
    Expression,
    Labelling,
    Outcome,
    Symbols,
    append_step,
    is_barrier,
    written_form,
)
from acompass.reason.privacy.mentions import Undecided

NOT_FOUND = "no table was found on which the new policy releases more"
_OLD, _NEW = 0, 1


@dataclass(frozen=True, slots=True)
class ReleaseVerdict:
    releases: Releases
    reason: str = ""  # why it is undecided
    difference: Difference | None = None  # given if the new policy releases more


def decide_releases(pairs: Sequence[Pair], found: Equivalence) -> ReleaseVerdict:
    """The verdict for all column types. The table of `found` is preferred, because it is already the smallest."""
    if found.is_equivalent:
        return ReleaseVerdict(Releases.SAME)
    shown = found.difference
    for pair in pairs:
        if shown is not None and shown.schema == pair.schema and WrittenTables(pair).is_more(shown.old, shown.new):
            return ReleaseVerdict(Releases.MORE, difference=shown)
    doubts = [(pair, doubt) for pair in pairs if (doubt := _doubt(pair)) is not None]
    if not doubts:
        return ReleaseVerdict(Releases.NO_MORE)
    for pair, doubt in doubts:
        with suppress(Exhausted), recursion_limit():
            more = Search(pair, doubt.hints).difference(_more_trace)
            if more is not None:
                return ReleaseVerdict(Releases.MORE, difference=more)
    return ReleaseVerdict(Releases.UNDECIDED, f"{doubts[0][1].reason}\n{NOT_FOUND}")


@dataclass(frozen=True, slots=True)
class _Doubt:
    reason: str
    hints: Sequence[Hint] = ()


def _doubt(pair: Pair) -> _Doubt | None:
    """Why there is no proof that the new policy releases no more; None if there is one."""
    first: _Doubt | None = None
    try:
        with recursion_limit():
            symbols = Symbols(pair.programs)
            for lines in _line_choices(pair):
                for writes_first in (False, True):
                    mismatch = Containment(symbols, pair, writes_first).mismatch(lines)
                    if mismatch is None:
                        return None
                    if first is None:
                        reasons = dict.fromkeys((mismatch.reason, *map(undecided_reason, symbols.unknown.values())))
                        first = _Doubt("\n".join(reasons), Examples(symbols, pair).hints(mismatch.records))
    except (Undecided, Exhausted) as open_question:
        return first or _Doubt(undecided_reason(open_question))
    return first


def _line_choices(pair: Pair) -> Iterator[Sequence[Sequence[Requirement]]]:
    """The requirements unchanged; then without lines that never affect anything."""
    yield [program.requirements for program in pair.programs]
    lines = [effective_lines(program, pair.any_scale) for program in pair.programs]
    if any(len(own) < len(program.requirements) for own, program in zip(lines, pair.programs, strict=True)):
        yield lines


#: for each assertion, the variable that represents which records it affects
_Decisions: TypeAlias = dict[Assertion, Variable]


class Containment(Lockstep):
    """Follows both policies, with a variable for each decision of a barrier that only one of them makes.

    A barrier of the old policy spares the records that the new one still has if the new policy's table satisfies its
    assertion, and if more records in a class cannot violate it. With `writes_first`, barriers of the old policy that
    write come before those of the new one that differ from them."""

    def __init__(self, symbols: Symbols, pair: Pair, writes_first: bool):
        super().__init__(symbols, *pair.programs)
        self._pair = pair
        self._writes_first = writes_first
        self._is_trace_aligned = True  # whether both policies have consumed the same part of the trace
        self._decided: tuple[_Decisions, _Decisions] = ({}, {})

    def mismatch(self, lines: Sequence[Sequence[Requirement]]) -> Mismatch | None:
        """None if the new policy releases no more."""
        old, new = (list(own) for own in lines)
        done: list[Requirement] = []  # the lines of the new policy that have been performed
        for ours in old:
            if is_barrier(ours):
                self._pass_line(ours, new, done)
            else:
                self._perform(_OLD, ours)
        for theirs in new:
            self._perform(_NEW, theirs)
        return self._find_more()

    def _pass_line(self, ours: Requirement, new: list[Requirement], done: list[Requirement]) -> None:
        """Perform a barrier of the old policy, after those lines of the new one without which it may affect a record
        that the new policy keeps."""
        spared = self._spared_records(ours, done)
        while spared is None and new:
            theirs, is_alike = new[0], self._are_alike(ours, new[0])
            if not is_alike and is_barrier(theirs) and self._writes_first and effects.write_of(ours.action) is not None:
                break
            done.append(new.pop(0))
            if is_alike:
                self._perform(_OLD, ours, theirs=theirs)
                return
            self._perform(_NEW, theirs)
            spared = self._spared_records(ours, done)
        self._perform(_OLD, ours, EMPTY if spared is None else spared)

    def _are_alike(self, ours: Requirement, theirs: Requirement) -> bool:
        """Whether both barriers see the same table and make the same decisions about it."""
        if not is_barrier(theirs):
            return False
        if not self._is_trace_aligned and (effects.draws(ours.action) or effects.draws(theirs.action)):
            return False
        columns = self._columns_that_matter(ours, theirs)
        differing = self._differing_records(columns, ours.before, theirs.before)
        return differing is EMPTY and self._decide_alike(ours, theirs)

    def _perform(
        self, side: int, requirement: Requirement, spared: Diagram = EMPTY, theirs: Requirement | None = None
    ) -> None:
        """Perform a line of one policy, and with `theirs` the same decisions by a line of the new one."""
        outcome = self._outcome(side, requirement) if is_barrier(requirement) else None
        self._symbolic.perform(self._states[side], requirement, outcome, spared)
        self._remember(side, requirement, None if spared is not EMPTY else outcome)
        if theirs is not None:
            self._symbolic.perform(self._states[_NEW], theirs, outcome)
            self._remember(_NEW, theirs, outcome)
        elif effects.draws(requirement.action) and spared is not ALL:
            self._is_trace_aligned = False

    def _outcome(self, side: int, requirement: Requirement) -> Outcome:
        """The variables of a barrier. An assertion that is asked again, of the same classes, affects the same records:
        the steps of a THEN (X10) may write columns that it does not read."""
        outcome = self._symbols.outcome(requirement)
        affected = self._decided[side].get(requirement.assertion)
        return outcome if affected is None else replace(outcome, affected=affected)

    def _remember(self, side: int, requirement: Requirement, outcome: Outcome | None) -> None:
        """Forget the decisions that a line may change, then remember its own, which `outcome` represents."""
        decided, action = self._decided[side], requirement.action
        if outcome is not None:
            decided[requirement.assertion] = outcome.affected
        changed = {*effects.written_by(action), *effects.type_changes(requirement)}
        for assertion in list(decided):
            if effects.removes_records(action) or changed & assertion_columns(assertion):
                del decided[assertion]

    def _spared_records(self, ours: Requirement, done: Sequence[Requirement]) -> Diagram | None:
        """The records that a barrier of the old policy cannot affect: all, or those that the new policy still has.
        None if nothing is proved. Records because of which the new policy writes nothing do not count."""
        old, new = self._states
        current = done[-1].after if done else self._programs[_NEW].schema
        live = self._diagrams.difference(self._symbolic.live(new), old.failed)
        if self._diagrams.difference(live, old.alive) is not EMPTY:
            return None
        if any(
            self._differing_values(column, ours.before, current, live) is not EMPTY
            for column in effects.columns_read(ours)
        ):
            return None
        removed = self._diagrams.difference(self._symbolic.live(old), self._diagrams.union(new.alive, new.failed))
        is_same = removed is EMPTY
        if not (is_same or _grows(ours.assertion)) or not self._is_proved(ours.assertion, done):
            return None
        return ALL if is_same else live

    def _is_proved(self, assertion: Assertion, done: Sequence[Requirement]) -> bool:
        """Whether the table of the new policy satisfies the assertion after these lines."""
        part = replace(self._programs[_NEW], requirements=tuple(done))
        prover = Provers(part, (assertion,), check_steps(part), self._pair.any_scale).for_assertion(assertion)
        return prover.attempt(assertion, prover.last).is_proof

    def _find_more(self) -> Mismatch | None:
        old, new = self._states
        written = self._diagrams.difference(old.failed, new.failed)
        if written is not EMPTY:
            return Mismatch("the new policy may write a table where the old one writes none", written)
        live = self._symbolic.live(new)
        kept = self._diagrams.difference(live, self._symbolic.live(old))
        if kept is not EMPTY:
            return Mismatch("the new policy may keep a record that the old one removes", kept)
        for column in remaining(self._programs[_NEW].final_schema):
            finer = self._finer_records(column, live)
            if finer is not EMPTY:
                name = self._programs[_NEW].schema[column].name
                return Mismatch(f"a value of `{name}` may be neither the old one nor coarser", finer)
        return None

    def _finer_records(self, column: int, live: Diagram) -> Diagram:
        old, new = (state.columns[column] for state in self._states)
        return self._diagrams.union_of(
            within
            for ours, mine in old.items()
            for theirs, yours in new.items()
            if (within := self._within(mine, yours, live)) is not EMPTY
            and not self._is_coarser(column, ours, theirs, within)
        )

    def _within(self, *diagrams: Diagram) -> Diagram:
        found = ALL
        for diagram in diagrams:
            found = self._diagrams.intersection(found, diagram)
        return found

    def _is_coarser(self, column: int, ours: Expression, theirs: Expression, within: Diagram) -> bool:
        """Whether the new value of these records is the old one or coarser."""
        own, other = (program.final_schema[column].type for program in self._programs)
        match theirs:
            case Constant(value):
                return value == SUPPRESSED or _is_input(column, ours) or self._replaces_all(column, ours, theirs)
            case Derived(variable, steps):
                if own == other and self._symbols.differing(ours, theirs, own, within) is EMPTY:
                    return True
                if self._is_function_of(column, ours, theirs):
                    return True
                if variable != column or not isinstance(ours, Derived) or ours.variable != column:
                    return False
                if _is_input(column, ours):
                    return True
                coarsened = append_step(ours, steps[-1]) if steps and isinstance(steps[-1], Labelling) else ours
                return self._symbols.differing(coarsened, theirs, TEXT, within) is EMPTY
            case _:
                assert_never(theirs)

    def _is_function_of(self, column: int, ours: Expression, theirs: Derived) -> bool:
        """Whether pseudonyms, rounding and labels make the new value from the old one, or from the value of the table
        if the old policy releases that."""
        if _is_input(column, ours) and self._is_function_of_input(column, theirs):
            return True
        old = self._symbols.written.get(ours.variable) if isinstance(ours, Derived) and not ours.steps else None
        new = self._symbols.written.get(theirs.variable)
        if new is None or theirs.steps or not new.kernel.is_function:
            return False
        return new.before == ours or (old is not None and self._symbols.is_rounded_further(old, new))

    def _is_function_of_input(self, column: int, expression: Expression) -> bool:
        if isinstance(expression, Constant) or expression.variable == column:
            return True
        written = self._symbols.written.get(expression.variable)
        if written is None or not written.kernel.is_function:
            return False
        return self._is_function_of_input(column, written.before)

    def _replaces_all(self, column: int, ours: Expression, theirs: Constant) -> bool:
        """Whether the new policy has this constant wherever the old one has the constant `ours`, so that it
        distinguishes no two records that the old one does not."""
        if not isinstance(ours, Constant):
            return False
        old, new = (self._where_written(at, column, each) for at, each in ((_OLD, ours), (_NEW, theirs)))
        return self._diagrams.difference(self._within(old, self._symbolic.live(self._states[_NEW])), new) is EMPTY

    def _where_written(self, side: int, column: int, constant: Constant) -> Diagram:
        """The records whose value is written like a constant of the policy, which is one of the column's kinds."""
        type_ = self._programs[side].final_schema[column].type
        wanted = written_form(constant.value, type_)
        found = EMPTY
        for expression, records in self._states[side].columns[column].items():
            match expression:
                case Constant(value):
                    same = ALL if written_form(value, type_) == wanted else EMPTY
                case Derived():
                    same = self._symbols.where(
                        expression, lambda value: written_form(value, type_) == wanted, ("written", wanted)
                    )
                case _:
                    assert_never(expression)
            found = self._diagrams.union(found, self._diagrams.intersection(records, same))
        return found


def _is_input(column: int, expression: Expression) -> bool:
    """Whether it is the column's value in the table, up to type changes."""
    match expression:
        case Constant():
            return False
        case Derived(variable, steps):
            return variable == column and not any(isinstance(step, Labelling) for step in steps)
        case _:
            assert_never(expression)


def _grows(assertion: Assertion) -> bool:
    """Whether a class that satisfies an assertion still satisfies it with more records in it."""
    process = effects.process_in(assertion)
    if process is None or assertion.quantifier is Quantifier.SOME:
        return False
    # the records of a reference table depend on the key alone
    changes = (None if each.reference else each.facts.merged for each in process.aggregates)
    return _keeps_holding(assertion.condition, [*(None for _ in process.group_by), *changes], True)


def _keeps_holding(condition: Condition, changes: Sequence[Change | None], is_positive: bool) -> bool:
    """`changes` are those of the condition's columns, None for a key, which stays the same."""
    match condition:
        case Comparison(column, operator):
            above = operator in (Operator.GT, Operator.GE)
            below = operator in (Operator.LT, Operator.LE)
            match changes[column]:
                case None:
                    return True
                case Change.NOT_LOWER:
                    return above if is_positive else below
                case Change.NOT_HIGHER:
                    return below if is_positive else above
                case Change.ANY:
                    return False
        case Not(operand):
            return _keeps_holding(operand, changes, not is_positive)
        case And(operands) | Or(operands):
            return all(_keeps_holding(operand, changes, is_positive) for operand in operands)
        case _:
            assert_never(condition)


def _more_trace(pair: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
    """The part of the trace that the two runs consume if the new policy releases more; else None."""
    old, new = (replay_program(program, records, trace) for program in pair.programs)
    return max(old.used, new.used, key=len) if WrittenTables(pair).is_more(old.written, new.written) else None


#: returns the label of a text, None if it has none
_TextMap: TypeAlias = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class _Written:
    """What a policy can write into a column in place of a value."""

    constants: frozenset[str]  # as texts, with the labels of later maps
    maps: tuple[_TextMap, ...]
    is_drawn: bool  # or shifted, averaged or a pseudonym

    def may_coarsen(self, old: str, new: str) -> bool:
        """Whether the new text may be a coarser one. A constant may be in place of any value; a drawn value is not
        compared with the one that it replaces; `1*` reads as a prefix of `12`, wherever it comes from."""
        is_masked = len(old) == len(new) and new.endswith(SUPPRESSED) and old.startswith(new.rstrip(SUPPRESSED))
        possible = {*self.constants, *_labelled({old}, self.maps)}
        return self.is_drawn or is_masked or any(_are_same(each, new) for each in possible)


class WrittenTables:
    """Compares the tables that two policies write."""

    def __init__(self, pair: Pair):
        self._columns = {column.name: _written(pair.new, at) for at, column in enumerate(pair.schema)}

    def is_more(self, old: WrittenTable | None, new: WrittenTable | None) -> bool:
        """Whether some record of the new table certainly has no counterpart in the old one. Each counterpart is used
        once, so this is a matching of bags."""
        if new is None or not new.records:
            return False
        if old is None or len(old.records) < len(new.records):
            return True
        names = [column.name for column in new.schema]
        ours, theirs = (Counter(_texts(table, names)) for table in (old, new))
        return not _are_matched(
            theirs, {record: [other for other in ours if self._may_be(names, other, record)] for record in theirs}, ours
        )

    def _may_be(self, names: Sequence[str], old: Sequence[object], new: Sequence[object]) -> bool:
        return all(self._may_be_value(*each) for each in zip(names, old, new, strict=True))

    def _may_be_value(self, name: str, old: object, new: object) -> bool:
        if new in (old, SUPPRESSED):
            return True
        return isinstance(old, str) and isinstance(new, str) and self._columns[name].may_coarsen(old, new)


def _written(program: Program, column: int) -> _Written:
    constants: set[str] = set()
    maps: list[_TextMap] = []
    is_drawn = False
    for requirement in program.requirements:
        write = effects.write_of(requirement.action)
        if write is None or column not in write.columns:
            continue
        map_ = _text_map(write.kernel, requirement.after[column].type)
        if map_ is not None:
            maps.append(map_)
            constants = _labelled(constants, (map_,))
        elif write.kernel.draws or write.kernel.listed_values() is None:
            is_drawn = True
        else:
            type_ = requirement.after[column].type
            constants |= {to_text(value, type_) for value in write.kernel.listed_values() or ()}
    return _Written(frozenset(constants), tuple(maps), is_drawn)


def _text_map(kernel: Kernel, type_: Type) -> _TextMap | None:
    """What GENERALIZE makes of a text; None for any other kernel."""
    map_ = kernel.label_map()
    if map_ is not None:
        return map_.label
    rounding = kernel.rounding()
    return None if rounding is None else partial(_round_text, rounding, type_)


def _round_text(kernel: Nearest, type_: Type, text: str) -> str | None:
    """The text of the multiple nearest to the number that a text spells."""
    try:
        rounded = kernel.nearest(float(text) if type_.kind is Kind.FLOAT else Decimal(text), type_)
    except (ValueError, InvalidOperation):
        return None
    return None if rounded is None else to_text(rounded, type_)


def _labelled(texts: Iterable[str], maps: Iterable[_TextMap]) -> set[str]:
    """The texts, and their labels after any of the maps, in this order."""
    found = set(texts)
    for map_ in maps:
        found |= {label for text in found if (label := map_(text)) is not None}
    return found


def _are_same(one: str, other: str) -> bool:
    """Whether two texts are the same, or spell the same number: a decimal written into a column of integers gives all
    of them decimal places (D12, retyping)."""
    if one == other:
        return True
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return False


def _texts(table: WrittenTable, names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Each record, as written, in these columns. A column that was dropped counts as suppressed."""
    places = {column.name: (at, column.type) for at, column in enumerate(table.schema)}
    for record in table.records:
        yield tuple(
            written_form(record[places[name][0]], places[name][1]) if name in places else SUPPRESSED for name in names
        )


_Row: TypeAlias = tuple[object, ...]


def _are_matched(
    wanted: Mapping[_Row, int], possible: Mapping[_Row, Sequence[_Row]], available: Mapping[_Row, int]
) -> bool:
    """Whether every wanted record can have a counterpart of its own, by augmenting paths over distinct records."""
    used: dict[_Row, Counter[_Row]] = {row: Counter() for row in available}  # for each old record, by whom

    def place(record: _Row, number: int, seen: set[_Row]) -> int:
        """Find counterparts for up to `number` of these records; returns how many were found."""
        placed = 0
        for other in possible[record]:
            if other in seen or placed == number:
                continue
            seen.add(other)
            free = min(available[other] - used[other].total(), number - placed)
            for rival, count in [*used[other].items()] if free < number - placed else []:
                moved = place(rival, min(count, number - placed - free), seen)
                used[other][rival] -= moved
                free += moved
            used[other][record] += free
            placed += free
        return placed

    for record, number in wanted.items():
        left = number
        while left and (found := place(record, left, set())):
            left -= found
        if left:
            return False
    return True
