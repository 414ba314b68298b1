"""The records that can reach each step, the records that each requirement can affect, and the standing facts.

A standing fact holds for every table at its step (docs/prove.md, section 2).
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program import program as p
from acompass.language.program.kernels import (
    AddRandom,
    Constant,
    Labels,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
)
from acompass.language.program.types import Type
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.images import image_of_random
from acompass.prove.diagrams.regions import Mask, Regions
from acompass.prove.diagrams.variables import Variables
from acompass.prove.rules.facts import ClassAssertion, Fact, class_assertion
from acompass.prove.rules.laws import KnownFacts, Laws


@dataclass(frozen=True, slots=True)
class Transition:
    """A requirement, performed on any table that can occur at `step`."""

    step: int
    requirement: p.Requirement
    scope: Diagram  # the records that the assertion is about
    may: Diagram  # the records that are affected in some table
    must: Diagram  # the records that are affected in every table
    #: if `may` and `must` differ, records of `scope` are affected in whole classes by these columns; the empty set
    #: makes the table one class
    together: frozenset[int] | None
    kept: tuple[Fact, ...]  # facts that every unaffected class satisfies
    care: Diagram  # the records of all tables that can occur at `step`
    is_known: bool = False  # a check that holds for every table at `step`
    affects: Diagram = ALL  # equals `may` for records of `care`, but tests fewer columns
    kept_is_all: bool = False  # the assertion holds exactly if all facts of `kept` do

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that the action writes."""
        write = effects.write_of(self.requirement.action)
        return () if write is None else write.columns

    @property
    def write(self) -> p.Write:
        """What the action, which writes columns, writes."""
        write = effects.write_of(self.requirement.action)
        assert write is not None, "the requirement writes nothing"
        return write


#: facts that hold for every table at a step
Standing: TypeAlias = tuple[Fact, ...]

#: only the last facts are kept, up to this number
MOST_STANDING = 8


def record_condition(variables: Variables, step: int, assertion: p.Assertion) -> tuple[Diagram, Diagram]:
    """For an assertion about records: the records in its scope, and those that satisfy its condition."""

    def diagram(condition: p.Condition) -> Diagram:
        return variables.condition(condition, lambda column: variables.column(step, column))

    match assertion.result:
        case p.Result():
            return ALL, diagram(assertion.condition)
        case p.Filter(filter_):
            return diagram(filter_), diagram(assertion.condition)
        case p.Process():
            raise AssertionError("the condition after PROCESS is about classes")
        case _:
            assert_never(assertion.result)


def _respelled(program: p.Program) -> frozenset[int]:
    """The columns into which NEAREST and MICROAGGREGATE write numbers with all digits of the scale; equal numbers of
    other records can have another spelling."""
    writes = filter(None, (effects.write_of(requirement.action) for requirement in program.requirements))
    return frozenset(write.column for write in writes if write.kernel.rounding() or write.kernel.averaging())


class Reachability:
    """The transitions of a program; `reach[step]` contains every record that can reach the step.

    The checks at the steps `known` hold when they run. `care[step]` leaves out the records that they exclude from the
    table at the step; `reach` leaves them out from the next step on. `excluded[step]` contains records that later
    checks exclude, whatever happens to them before. With a `focus`, `reach` forgets all other columns after each step:
    it tests fewer columns and over-approximates the reachable records.
    """

    def __init__(
        self,
        program: p.Program,
        variables: Variables,
        known: frozenset[int] = frozenset(),
        excluded: Sequence[Diagram] | None = None,
        focus: frozenset[int] | None = None,
    ):
        self.excluded = excluded or [EMPTY] * (len(program.requirements) + 1)
        self.columns_of_one_spelling = effects.columns_of_classes(program.requirements) - _respelled(program)
        self.laws = self._make_laws(variables)
        self._variables = variables
        self._diagrams = variables.diagrams
        self._focus = focus
        self.reach = [self._apply_focus(0, self._diagrams.complement(self.excluded[0]))]
        self.transitions: list[Transition] = []
        self._written: dict[tuple[int, int], Mask] = {}
        self._standing_facts = StandingFacts(self.laws)
        self._standing: list[Standing] = [()]
        for step, requirement in enumerate(program.requirements):
            transition = self._transition(step, requirement, self.reach[step])
            affects = self._simplest(transition)
            self.transitions.append(replace(transition, is_known=step in known, affects=affects))
            self._standing.append(self._standing_after(self.transitions[-1]))
            self.reach.append(self._next_reach(self.transitions[-1], known))
        self.care = self._compute_care()

    def _make_laws(self, variables: Variables) -> Laws:
        return Laws(variables)

    def _standing_after(self, transition: Transition) -> Standing:
        """The standing facts after the requirement; none with a focus, because they may read columns outside it."""
        if self._focus is not None:
            return ()
        requirement, standing = transition.requirement, self._standing[transition.step]
        established = transition.kept if is_established(requirement, transition.is_known) else ()
        return self._standing_facts.after(requirement, standing, established, transition.care)

    def _next_reach(self, transition: Transition, known: frozenset[int]) -> Diagram:
        """The records that can reach the step after the requirement."""
        after = transition.care if self._is_forgotten(transition) else self.after(transition, transition.care)
        left = self._diagrams.difference(after, self.excluded[transition.step + 1])
        if transition.is_known and transition.step + 1 not in known:
            left = self._apply_checks(left)
        return self._apply_focus(transition.step + 1, left)

    def _is_forgotten(self, transition: Transition) -> bool:
        """Whether the requirement does nothing but write columns outside the focus."""
        columns = transition.columns
        return self._focus is not None and bool(columns) and self._focus.isdisjoint(columns)

    def _apply_focus(self, step: int, records: Diagram) -> Diagram:
        if self._focus is None:
            return records
        return self._diagrams.project(records, self._variables.columns(step, self._focus))

    def without_excluded(self, fact: Fact) -> Fact:
        """Law of the excluded record: restrict the fact to records that no later check excludes."""
        return replace(fact, where=self._diagrams.difference(fact.where, self.excluded[fact.step]))

    def _apply_checks(self, records: Diagram) -> Diagram:
        """Apply the last checks, all known, until none of them excludes more: they are about the same table, so the
        records that one excludes can lead another to exclude more."""
        checks = list(takewhile(lambda transition: transition.is_known, reversed(self.transitions)))
        before = None
        while len(checks) > 1 and records is not before:
            before = records
            for check in checks:
                must = self._transition(check.step, check.requirement, records).must
                records = self._diagrams.difference(records, must)
        return records

    def _compute_care(self) -> list[Diagram]:
        """A check changes nothing, so the tables before and after it are the same."""
        care = [self.reach[-1]]
        for transition in reversed(self.transitions):
            is_same_table = transition.is_known and transition.requirement.action is None
            care.append(care[-1] if is_same_table else self.reach[transition.step])
        return care[::-1]

    def _transition(self, step: int, requirement: p.Requirement, care: Diagram) -> Transition:
        assertion = requirement.assertion
        match assertion.quantifier:
            case Quantifier.SOME:
                return self._some_transition(step, requirement, care)
            case Quantifier.EACH:
                classes = class_assertion(self._variables, step, assertion)
                if classes is not None:
                    return self._class_transition(step, requirement, classes, care)
                scope, condition = record_condition(self._variables, step, assertion)
                violating = self._diagrams.difference(scope, condition)
                affected = self._diagrams.intersection(care, violating)
                return Transition(step, requirement, scope, affected, affected, None, (), care)
            case _:
                assert_never(assertion.quantifier)

    def _simplest(self, transition: Transition) -> Diagram:
        """`may`, or a simpler set (all records, or the scope) if its records that can reach the step are in `may`."""
        for simple in (ALL, transition.scope):
            within = self._diagrams.intersection(transition.care, simple)
            if self._diagrams.difference(within, transition.may) is EMPTY:
                return simple
        return transition.may

    def _class_transition(
        self, step: int, requirement: p.Requirement, classes: ClassAssertion, care: Diagram
    ) -> Transition:
        in_scope = self._diagrams.intersection(care, classes.where)
        may = self._diagrams.intersection(in_scope, self.laws.can_violate(classes, care))
        must = self._diagrams.difference(in_scope, self.laws.can_satisfy(classes, care))
        kept = self.laws.kept_facts(classes, care)
        refused = self._diagrams.intersection(in_scope, self._refused_records(step, kept, care))
        must = self._diagrams.union(must, refused)
        together = None if may is must else classes.groups
        found = Transition(step, requirement, classes.where, may, must, together, kept, care)
        return replace(found, kept_is_all=len(kept) == len(classes.parts))

    def _refused_records(self, step: int, kept: Sequence[Fact], care: Diagram) -> Diagram:
        """The records whose classes cannot satisfy all the facts, because of standing facts."""
        refused, standing = EMPTY, self._standing[step]
        for fact in kept if standing else ():
            keys = self._standing_facts.satisfiable(fact, standing, care)
            refused = self._diagrams.union(refused, self._diagrams.complement(keys))
        return refused

    def _some_transition(self, step: int, requirement: p.Requirement, care: Diagram) -> Transition:
        """A violated SOME affects the whole table, in which nothing satisfies its condition (D17, violated SOME)."""
        may, is_never_satisfied = self._violating_tables(step, requirement.assertion, care)
        if is_never_satisfied or may is EMPTY:
            return Transition(step, requirement, ALL, may, may, None, (), care)
        return Transition(step, requirement, ALL, may, EMPTY, frozenset(), (), care)

    def _violating_tables(self, step: int, assertion: p.Assertion, care: Diagram) -> tuple[Diagram, bool]:
        """The records of the tables that violate a SOME, and whether every nonempty table violates it."""
        classes = class_assertion(self._variables, step, assertion)
        if classes is None:
            scope, condition = record_condition(self._variables, step, assertion)
            may = self._diagrams.difference(care, self._diagrams.intersection(scope, condition))
        else:
            outside = self._diagrams.complement(classes.where)
            violating = self._diagrams.union(outside, self.laws.can_violate(classes, care))
            may = self._diagrams.intersection(care, violating)
        return may, self.satisfying(step, assertion, care) is EMPTY

    def satisfying(self, step: int, assertion: p.Assertion, care: Diagram) -> Diagram:
        """Records such that every table that satisfies a SOME contains at least one of them."""
        classes = class_assertion(self._variables, step, assertion)
        if classes is None:
            scope, condition = record_condition(self._variables, step, assertion)
            return self._diagrams.intersection(care, self._diagrams.intersection(scope, condition))
        return self.laws.witnesses(classes, care)

    def after(self, transition: Transition, records: Diagram) -> Diagram:
        """The records that the requirement can turn the given records into."""
        effect = effects.effect_of(transition.requirement.action)
        match effect:
            case None:
                return self.untouched_records(transition, records) if transition.is_known else records
            case p.Remove():
                return self.untouched_records(transition, records)
            case p.Write():
                affected = self._diagrams.intersection(records, transition.may)
                untouched = self.convert_written_columns(transition, self.untouched_records(transition, records))
                return self._diagrams.union(untouched, self.rewrite(transition, affected))
            case p.Project(columns):
                return self._diagrams.exists(records, self._variables.columns(transition.step, columns))
            case _:
                assert_never(effect)

    def untouched_records(self, transition: Transition, records: Diagram | None = None) -> Diagram:
        """The records, by default all at the step, that the action can leave alone: those that need not be affected, or
        all of them if a coin decides (X5, WITH PROBABILITY)."""
        records = transition.care if records is None else records
        if not effects.is_certain(transition.requirement.action):
            return records
        return self._diagrams.difference(records, transition.must)

    def convert_written_columns(self, transition: Transition, records: Diagram) -> Diagram:
        """The records with the written columns in their types after the requirement (D12, retyping)."""
        for column in transition.columns:
            records = self._variables.convert(records, transition.step, column)
        return records

    def rewritten(self, transition: Transition) -> Diagram:
        """The records that can be affected, as the action leaves them."""
        return self.rewrite(transition, transition.may)

    def rewrite(self, transition: Transition, affected: Diagram) -> Diagram:
        """The affected records as the action, which writes columns, leaves them."""
        kernel = transition.write.kernel
        match kernel:
            case Constant() | Uniform() | Weighted() | Microaggregate():
                column = transition.write.column
                variable = self._variables.column(transition.step + 1, column)
                converted = self.convert_written_columns(transition, affected)
                return self._diagrams.assign(converted, variable, self.written_regions(transition, column))
            case Labels() | Nearest() | Pseudonym() | Shift() | AddRandom():
                for column in transition.columns:
                    affected = self._variables.write(affected, transition.step, column, kernel)
                return affected
            case _:
                assert_never(kernel)

    def before_rewriting(self, transition: Transition, records: Diagram) -> Diagram:
        """The records that the action, which writes columns, can turn into the given records."""
        kernel = transition.write.kernel
        match kernel:
            case Constant() | Uniform() | Weighted() | Microaggregate():
                variable = self._variables.column(transition.step + 1, transition.write.column)
                return self._diagrams.exists(self.with_written_value(transition, records), frozenset((variable,)))
            case Labels() | Nearest() | Pseudonym() | Shift() | AddRandom():
                for column in transition.columns:
                    records = self._variables.before_write(records, transition.step, column, kernel)
                return records
            case _:
                assert_never(kernel)

    def with_written_value(self, transition: Transition, records: Diagram) -> Diagram:
        """The records that have a value in the written column that the action can write."""
        column = transition.write.column
        variable = self._variables.column(transition.step + 1, column)
        return self._diagrams.intersection(
            records, self._diagrams.literal(variable, self.written_regions(transition, column))
        )

    def written_regions(self, transition: Transition, column: int) -> Mask:
        """The values that the action can write into a column, in the regions of the next step."""
        key = transition.step, column
        if key not in self._written:
            self._written[key] = self._values_written(transition, column)
        return self._written[key]

    def _values_written(self, transition: Transition, column: int) -> Mask:
        kernel = transition.write.kernel
        variable = self._variables.column(transition.step + 1, column)
        match kernel:
            case Constant() | Weighted():
                regions = self._variables.regions(variable)
                return sum(1 << region for region in set(map(regions.region_of, kernel.listed_values())))
            case Uniform():
                type_ = transition.requirement.after[column].type
                return self._drawn_regions(kernel, self._variables.regions(variable), type_)
            case Labels() | Nearest() | Pseudonym() | Shift() | AddRandom():
                return self._diagrams.mask_of(self.rewritten(transition), variable)
            case Microaggregate():
                return self._means(transition, variable)
            case _:
                assert_never(kernel)

    def _means(self, transition: Transition, variable: Variable) -> Mask:
        """A mean lies between the least and the greatest value, and so does what it is rounded to."""
        affected = self._diagrams.intersection(transition.care, transition.may)
        values, regions = self._diagrams.mask_of(affected, variable), self._variables.regions(variable)
        return regions.regions_within(regions.extent(values)) if values else 0

    def _drawn_regions(self, drawn: Uniform, regions: Regions, type_: Type) -> Mask:
        """The regions of a column of the type that drawn integers reach."""
        return image_of_random(drawn.lower, drawn.upper, regions, type_)


class StandingFacts:
    def __init__(self, laws: Laws):
        self._laws = laws
        self._known = KnownFacts(laws)

    def satisfiable(self, fact: Fact, standing: Standing, care: Diagram) -> Diagram:
        """The keys at which the standing facts permit an aggregate that the fact allows."""
        refused = replace(fact, allowed=self._laws.diagrams.complement(fact.allowed))
        return self._known.unsettled_keys(refused, standing, care)

    def after(self, requirement: p.Requirement, standing: Standing, established: Standing, care: Diagram) -> Standing:
        """The standing facts after a requirement; `established` are those of its assertion, if it holds afterwards."""
        left = [each for fact in standing for each in self._facts_left(requirement, fact, care)]
        found = dict.fromkeys(replace(fact, step=fact.step + 1) for fact in (*left, *established))
        return tuple(found)[-MOST_STANDING:]

    def _facts_left(self, requirement: p.Requirement, fact: Fact, care: Diagram) -> Iterator[Fact]:
        effect = effects.effect_of(requirement.action)
        match effect:
            case None:
                yield fact
            case p.Remove():
                bounds = (fact, *(self._laws.halves(fact) or ()))
                yield from [each for each in bounds if self._laws.is_kept_by_parts(each, care)][:1]
            case p.Write(columns):
                yield from (fact,) if self._laws.columns_read(fact).isdisjoint(columns) else ()
            case p.Project(columns):
                yield from (fact,) if self._laws.columns_read(fact).isdisjoint(columns) else ()
            case _:
                assert_never(effect)


def is_established(requirement: p.Requirement, is_known: bool) -> bool:
    """Whether the classes that violate the assertion are gone after the requirement."""
    return is_known or (effects.removes_records(requirement.action) and effects.is_certain(requirement.action))
