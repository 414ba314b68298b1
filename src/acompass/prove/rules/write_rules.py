"""Rules for writes: from a fact about the table after a write to a fact about the table before it.

docs/prove.md, section 6, states and proves each rule. `ChanceRules` covers random outcomes: which records a coin hits
(X5, WITH PROBABILITY), which class a drawn value joins. `WriteRules` covers writes that are certain.
"""

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import facts_about
from acompass.language.program.effects import draws, removes_records
from acompass.language.program.kernels import Kernel
from acompass.language.program.types import Kind, Type
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.rules.facts import Fact
from acompass.prove.rules.reachability import Reachability, Transition

#: kinds in which every text denotes a single value
_OF_ONE_VALUE = (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)


class Blocked(Exception):
    """No rule leads back through the requirement; the message says why."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way in which a requirement can treat a class."""

    affected: Diagram
    unaffected: Diagram
    care: Diagram  # every record that such a class can have
    is_left_alone: bool  # nothing is affected, so the class satisfies the requirement's assertion


@dataclass(frozen=True, slots=True)
class _Write:
    """A column that is written in one branch, and the records of the fact's WHERE in that branch."""

    column: int
    variable: Variable  # of the column after the write
    written: Mask  # the values that are written
    rewritten: Diagram  # the affected records that the WHERE can select after the write
    others: Diagram  # the unaffected records that the WHERE selects


class Preimages:
    """The records before a requirement, which writes columns, that are in a given set after it if they keep their
    values. `Reachability.before_rewriting` has those that it can rewrite into the set."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams

    def before_keeping(self, diagram: Diagram, transition: Transition) -> Diagram:
        """The records that are in the diagram if they keep their values, in the columns' new types (D12, retyping).
        Raises Blocked if the regions are too coarse to decide."""
        for column in transition.columns:
            diagram = self._variables.before_conversion(diagram, transition.step, column, self._exact_preimage)
        return diagram

    def _exact_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        inner = self._inner_preimage(mask, before, after)
        if self._variables.preimage(mask, before, after) & ~inner:
            raise Blocked("the change of type mixes values that the condition distinguishes")
        return inner

    def surely_before_keeping(self, diagram: Diagram, transition: Transition) -> Diagram:
        """The records that are certainly in the diagram if they keep their values."""
        for column in transition.columns:
            diagram = self._variables.before_conversion(diagram, transition.step, column, self._inner_preimage)
        return diagram

    def _inner_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        return self._variables.regions(before).full & ~self._variables.preimage(~mask, before, after)

    def refuse_conversion(self, fact: Fact, transition: Transition, column: int) -> None:
        """Rule of the change of type. Raises Blocked if the conversion can merge or split unchanged values."""
        before = transition.requirement.before[column].type
        after = transition.requirement.after[column].type
        if before == after:
            return
        is_counted = column == fact.column and facts_about(fact.function).tells_values_apart
        if column == fact.column and not is_counted:
            raise Blocked("changes the type of the aggregated column")
        if (is_counted or column in fact.groups) and not self._is_injective(column, before, after):
            raise Blocked("the change of type can merge or split the values of the column")

    def _is_injective(self, column: int, before: Type, after: Type) -> bool:
        """Whether the conversion keeps equal values equal and different values different."""
        if after.kind is Kind.TEXT:
            return self.has_one_text(column, before) and before.kind in _OF_ONE_VALUE
        return before.kind in (Kind.INTEGER, Kind.DECIMAL) and after.kind is Kind.DECIMAL

    def has_one_text(self, column: int, type_: Type) -> bool:
        """Whether equal values of the column become the same text. Decimals from a CSV file keep their spellings, `2`
        and `2.0`, unless the policy groups by them (D26, unchanged bytes); a fixed scale has one spelling. The floats
        `0.0` and `-0.0` are equal."""
        match type_.kind:
            case Kind.DECIMAL:
                is_fixed = not type_.spelled and not self._variables.has_any_scale(column, type_)
                return is_fixed or column in self._reachability.columns_of_one_spelling
            case kind:
                return kind is not Kind.FLOAT


class ChanceRules:
    """Rules for random outcomes. A coin may miss every record, so the fact must hold before it; the rules require
    whatever keeps it true, whichever records are hit."""

    def __init__(self, reachability: Reachability, preimages: Preimages):
        self._reachability = reachability
        self._preimages = preimages
        self._laws = reachability.laws
        self._diagrams = reachability.laws.diagrams

    def before_coin(self, fact: Fact, transition: Transition) -> Fact:
        """The fact before an action WITH PROBABILITY. Raises Blocked."""
        if transition.columns:
            return self._before_coin_write(fact, transition)
        assert removes_records(transition.requirement.action), "no coin is tossed for it"
        earlier = replace(fact, step=transition.step)
        return self._require_kept_without(earlier, transition, transition.affects)

    def _before_coin_write(self, fact: Fact, transition: Transition) -> Fact:
        for column in transition.columns:
            self._preimages.refuse_conversion(fact, transition, column)
        if not fact.groups.isdisjoint(transition.columns):
            earlier = self.before_scattering(fact, transition, transition.affects)
            return self._require_kept_without(earlier, transition, transition.affects)
        if fact.column is not None and fact.column in transition.columns:
            return self._revalue(fact, transition, fact.column)
        return self._reselect(fact, transition)

    def _require_kept_without(self, fact: Fact, transition: Transition, lost: Diagram) -> Fact:
        """Rule of the coin: the fact must survive if a class loses any of the records in `lost`."""
        if not self._laws.is_kept_without(fact, lost, transition.care):
            raise Blocked("a coin decides which records of a class are left")
        return fact

    def _reselect(self, fact: Fact, transition: Transition) -> Fact:
        """Rule of the coin for a WHERE: the class is part of the class of all records that it could select."""
        diagrams = self._diagrams
        stays = self._preimages.before_keeping(fact.where, transition)
        comes = diagrams.intersection(transition.affects, self._reachability.before_rewriting(transition, fact.where))
        earlier = replace(fact, step=transition.step, where=diagrams.union(stays, comes))
        leaves = diagrams.intersection(transition.affects, self._leaving(fact, transition))
        lost = diagrams.union(leaves, diagrams.difference(comes, stays))
        return self._require_kept_without(earlier, transition, lost)

    def _leaving(self, fact: Fact, transition: Transition) -> Diagram:
        """The records that the WHERE can miss once they are hit."""
        return self._reachability.before_rewriting(transition, self._diagrams.complement(fact.where))

    def _revalue(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for the aggregated column: part of an earlier class, and records that were hit."""
        diagrams, aggregates = self._diagrams, self._laws.aggregates
        stays = self._preimages.before_keeping(fact.where, transition)
        earlier = replace(fact, step=transition.step, where=stays)
        affected = diagrams.intersection(transition.affects, transition.care)
        hit = diagrams.intersection(affected, self._reachability.before_rewriting(transition, fact.where))
        if hit is not EMPTY:
            new = aggregates.of_values(fact, self._reachability.written_regions(transition, column))
            keys = diagrams.project(hit, self._laws.key_variables(earlier))
            if not self._laws.is_kept_with(earlier, keys, new, transition.care):
                raise Blocked("a coin decides which values of a class are rewritten")
        return self._require_kept_without(
            earlier, transition, diagrams.intersection(affected, self._leaving(fact, transition))
        )

    def before_scattering(self, fact: Fact, transition: Transition, affected: Diagram) -> Fact:
        """Rule of the scattered class: at the keys that rewritten records can get, every aggregate is allowed; at other
        keys, a class has only records that are not rewritten."""
        diagrams = self._diagrams
        rewritten = self._reachability.rewrite(transition, diagrams.intersection(affected, transition.care))
        landing = diagrams.project(diagrams.intersection(rewritten, fact.where), self._laws.key_variables(fact))
        landed = replace(fact, where=diagrams.intersection(fact.where, landing))
        if not self._laws.follows(landed, self._reachability.care[fact.step]):
            raise Blocked(
                "chance decides which class a record joins"
                if draws(transition.requirement.action)
                else "records of one class can join different classes"
            )
        elsewhere = diagrams.difference(fact.where, landing)
        return replace(
            fact,
            step=transition.step,
            where=self._preimages.before_keeping(elsewhere, transition),
            allowed=self._preimages.before_keeping(fact.allowed, transition),
        )


class WriteRules:
    """Rules for certain writes. Each returns None if the fact holds for any table before the write."""

    def __init__(self, reachability: Reachability, preimages: Preimages, chance: ChanceRules):
        self._reachability = reachability
        self._laws = reachability.laws
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams
        self._preimages = preimages
        self._chance = chance

    def before_write(self, fact: Fact, transition: Transition, branch: Branch, column: int) -> Fact | None:
        """Rule of the WHERE."""
        fact = self._without_written(fact, transition, column)
        variable = self._variables.column(transition.step + 1, column)
        written = self._reachability.written_regions(transition, column)
        selected = self._reachability.before_rewriting(transition, fact.where)
        rewritten = self._diagrams.intersection(branch.affected, selected)
        where_before = self._preimages.before_keeping(fact.where, transition)
        others = self._diagrams.intersection(branch.unaffected, where_before)
        write = _Write(column, variable, written, rewritten, others)
        earlier = replace(fact, step=transition.step, where=self._diagrams.union(rewritten, others))
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            return self._regroup(fact, earlier, transition, write)
        missed = self._reachability.before_rewriting(transition, self._diagrams.complement(fact.where))
        self._refuse_random_selection(earlier, self._diagrams.intersection(rewritten, missed), transition.care)
        if column == fact.column:
            return self._move(fact, earlier, transition, write)
        return earlier

    def _refuse_random_selection(self, earlier: Fact, uncertain: Diagram, care: Diagram) -> None:
        """Rule of the part: if a draw decides which records are selected, parts must keep the fact."""
        if self._diagrams.intersection(uncertain, care) is EMPTY:
            return
        if not self._laws.is_kept_by_parts(earlier, care):
            raise Blocked("the drawn value decides which records are counted")

    def _without_written(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Law of the determined column, for classes also grouped by the columns that decide what is written."""
        if column not in fact.groups or not self._laws.is_kept_by_merging(fact):
            return fact
        readers = map(self._variables.column_of, self._diagrams.support(transition.affects))
        finer = replace(fact, groups=fact.groups.union(readers))
        found = self._laws.without_determined(finer, self._reachability.care[fact.step], (column,))
        return fact if column in found.groups else found

    def _regroup(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of the written value."""
        allowed = self._preimages.before_keeping(fact.allowed, transition)
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        if not self._variables.is_single(write.variable, write.written):
            scattered = self._chance.before_scattering(fact, transition, write.rewritten)
            return replace(scattered, where=self._diagrams.intersection(scattered.where, write.others))
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        joined = self._diagrams.intersection(rewritten_keys, self._allowed_at_written(fact, write))
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def _refuse_merge(self, fact: Fact, write: _Write) -> None:
        if write.column == fact.column:
            raise Blocked("writes a column that is both grouped and aggregated")
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("can merge classes")

    def _rewritten_keys(self, earlier: Fact, transition: Transition, write: _Write) -> tuple[frozenset[int], Diagram]:
        """Additional columns to group by, so that classes are rewritten as a whole, and the rewritten keys."""
        records = self._diagrams.intersection(transition.care, earlier.where)
        keys = self._laws.key_variables(earlier)
        if self._laws.is_decided_by(keys, write.rewritten, records):
            rewritten = self._diagrams.intersection(records, write.rewritten)
            return frozenset(), self._diagrams.project(rewritten, keys)
        readers = map(self._variables.column_of, self._diagrams.support(write.rewritten))
        return frozenset(readers), write.rewritten

    def _allowed_at_written(self, fact: Fact, write: _Write) -> Diagram:
        """The aggregates that the fact allows at a key with the written value."""
        literal = self._diagrams.literal(write.variable, write.written)
        at_written = self._diagrams.intersection(fact.allowed, literal)
        return self._diagrams.exists(at_written, frozenset((write.variable,)))

    def before_function(
        self, fact: Fact, transition: Transition, branch: Branch, column: int, kernel: Kernel
    ) -> Fact | None:
        """Rules of the WHERE, the merge and the new value, for labels, multiples and pseudonyms, which depend only on
        the value."""
        diagrams, before_rewriting = self._diagrams, self._reachability.before_rewriting
        rewritten = diagrams.intersection(branch.affected, before_rewriting(transition, fact.where))
        others = self._others(fact, transition, branch)
        where = diagrams.union(rewritten, others)
        earlier = replace(fact, step=transition.step, where=where)
        missed = before_rewriting(transition, diagrams.complement(fact.where))
        uncertain = diagrams.intersection(diagrams.intersection(rewritten, missed), transition.care)
        reads_labels = column in fact.groups or column == fact.column
        if uncertain is not EMPTY and (reads_labels or not self._laws.is_kept_by_parts(earlier, transition.care)):
            raise Blocked("the label decides which records are counted, and regions are too coarse to tell")
        if not reads_labels:
            return earlier
        write = self._write(transition, column, rewritten, others)
        if kernel.is_injective and self._keeps_classes(fact, transition, write):
            refused = before_rewriting(transition, diagrams.complement(fact.allowed))
            return replace(earlier, allowed=diagrams.complement(refused))
        self._refuse_labels(fact, transition, write, kernel)
        if column in fact.groups:
            return self._join_labels(fact, earlier, transition, write)
        return self._relabel(fact, earlier, transition, write)

    def _keeps_classes(self, fact: Fact, transition: Transition, write: _Write) -> bool:
        """Rule of the injective write: all records of the classes are rewritten, different values remain different, and
        the aggregate depends on no more than that."""
        is_whole = self._diagrams.intersection(write.others, transition.care) is EMPTY
        return is_whole and (write.column != fact.column or facts_about(fact.function).tells_values_apart)

    def _others(self, fact: Fact, transition: Transition, branch: Branch) -> Diagram:
        """The unaffected records that the WHERE selects; none with ALWAYS."""
        if self._diagrams.intersection(branch.unaffected, branch.care) is EMPTY:
            return EMPTY
        selected = self._preimages.before_keeping(fact.where, transition)
        return self._diagrams.intersection(branch.unaffected, selected)

    def _write(self, transition: Transition, column: int, rewritten: Diagram, others: Diagram) -> _Write:
        variable = self._variables.column(transition.step + 1, column)
        affected = self._diagrams.intersection(rewritten, transition.care)
        labelled = self._reachability.rewrite(transition, affected)
        written = self._diagrams.mask_of(labelled, variable)
        return _Write(column, variable, written, rewritten, others)

    def _refuse_labels(self, fact: Fact, transition: Transition, write: _Write, kernel: Kernel) -> None:
        """Equal values must get equal labels, and unchanged values must not merge or split."""
        before = transition.requirement.before[write.column].type
        if not self._labels_equal_values_alike(kernel, write.column, before):
            raise Blocked("the change of type can split the values of the column")
        if self._diagrams.intersection(write.others, transition.care) is not EMPTY:
            self._preimages.refuse_conversion(fact, transition, write.column)

    def _labels_equal_values_alike(self, kernel: Kernel, column: int, before: Type) -> bool:
        """Whether equal values get equal labels. BANDS reads every text of a number as that number, as NEAREST and
        PSEUDONYM do."""
        map_ = kernel.label_map()
        return map_ is None or map_.of_numbers or self._preimages.has_one_text(column, before)

    def _join_labels(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact:
        """Rule of the merge: classes that are rewritten as a whole join the class of their label."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        allowed = self._preimages.before_keeping(fact.allowed, transition) if has_others else EMPTY
        if self._diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return replace(earlier, allowed=allowed)
        self._refuse_merge(fact, write)
        readers, rewritten_keys = self._rewritten_keys(earlier, transition, write)
        refused = self._reachability.before_rewriting(transition, self._diagrams.complement(fact.allowed))
        joined = self._diagrams.difference(rewritten_keys, refused)
        kept = self._diagrams.difference(allowed, rewritten_keys)
        return replace(earlier, groups=earlier.groups | readers, allowed=self._diagrams.union(joined, kept))

    def before_moving(self, fact: Fact, transition: Transition, branch: Branch, kernel: Kernel) -> Fact | None:
        """Rules of the WHERE, the merge and the new value, for dates that are shifted, sums and means, which depend on
        the value and on more. No column changes its type."""
        diagrams, columns = self._diagrams, transition.columns
        selected = self._reachability.before_rewriting(transition, fact.where)
        rewritten = diagrams.intersection(branch.affected, selected)
        others = diagrams.intersection(branch.unaffected, fact.where)
        earlier = replace(fact, step=transition.step, where=diagrams.union(rewritten, others))
        missed = self._reachability.before_rewriting(transition, diagrams.complement(fact.where))
        uncertain = diagrams.intersection(rewritten, missed)
        if not fact.groups.isdisjoint(columns):
            column = min(fact.groups.intersection(columns))
            write = self._write(transition, column, rewritten, others)
            return self._regroup_moved(fact, earlier, transition, write, uncertain)
        self._refuse_random_selection(earlier, uncertain, transition.care)
        if fact.column is None or fact.column not in columns:
            return earlier
        is_up, is_down = _directions(kernel)
        if (is_up and self._laws.is_kept_by_rising(fact)) or (is_down and self._laws.is_kept_by_falling(fact)):
            return earlier
        return self._move(fact, earlier, transition, self._write(transition, fact.column, rewritten, others))

    def _regroup_moved(
        self, fact: Fact, earlier: Fact, transition: Transition, write: _Write, uncertain: Diagram
    ) -> Fact:
        """Rule of the merge for dates that are shifted: the records of one person stay together, so classes that are
        also grouped by the person are rewritten as a whole. All else is a scattered class."""
        diagrams, person = self._diagrams, transition.write.kernel.by
        if diagrams.intersection(write.rewritten, transition.care) is EMPTY:
            return earlier
        is_function = person is not None and person not in transition.columns and fact.column not in transition.columns
        has_person = is_function and person in fact.groups
        is_certain_where = diagrams.intersection(uncertain, transition.care) is EMPTY
        if is_certain_where and has_person and self._keeps_classes(fact, transition, write):
            refused = self._reachability.before_rewriting(transition, diagrams.complement(fact.allowed))
            return replace(earlier, allowed=diagrams.complement(refused))
        if is_certain_where and is_function and self._laws.is_kept_by_merging(fact):
            assert person is not None
            finer = replace(earlier, groups=earlier.groups | {person})
            return self._join_labels(fact, finer, transition, write)
        scattered = self._chance.before_scattering(fact, transition, write.rewritten)
        return replace(scattered, where=diagrams.intersection(scattered.where, write.others))

    def _relabel(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value. Mapping a whole class never adds distinct values, and records with equal values keep
        equal values."""
        has_others = self._diagrams.intersection(write.others, transition.care) is not EMPTY
        facts = facts_about(fact.function)
        if facts.counts_distinct and not has_others and self._laws.is_kept_by_fewer(fact):
            return earlier
        is_share_of_mode = facts.is_share and facts.tells_values_apart
        if is_share_of_mode and not has_others and self._laws.is_kept_by_more(fact):
            return earlier
        return self._revalue(fact, earlier, transition, write)

    def _move(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the moved value: no written value is above the value it replaces, and the fact allows all lower
        aggregates, or the other way around. The rule of the new value is tried first."""
        try:
            return self._revalue(fact, earlier, transition, write)
        except Blocked:
            rewritten = replace(earlier, where=write.rewritten)
            old = self._laws.values(rewritten, transition.care)
            if not self._laws.is_kept_by_moving(fact, old, write.written):
                raise
            return earlier

    def _revalue(self, fact: Fact, earlier: Fact, transition: Transition, write: _Write) -> Fact | None:
        """Rule of the new value: the rewritten records alone are allowed, and so are the other records alone."""
        rewritten = self._diagrams.intersection(write.rewritten, transition.care)
        if rewritten is EMPTY:
            return earlier
        aggregates = self._laws.aggregates
        possible = self._diagrams.literal(aggregates.variable(fact), aggregates.of_values(fact, write.written))
        keys = self._diagrams.project(rewritten, self._laws.key_variables(earlier))
        keyed = self._diagrams.intersection(keys, possible)
        if self._diagrams.difference(keyed, fact.allowed) is not EMPTY:
            raise Blocked("writes a value that the claim does not allow")
        if self._diagrams.intersection(write.others, transition.care) is EMPTY:
            return None
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("rewrites the aggregated values of only part of a class")
        return replace(earlier, where=write.others)


def _directions(kernel: Kernel) -> tuple[bool, bool]:
    """Whether no number becomes lower, and whether none becomes higher."""
    addition = kernel.addition()
    return (False, False) if addition is None else (addition.lower >= 0, addition.upper <= 0)
