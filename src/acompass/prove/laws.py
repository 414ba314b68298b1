"""The laws by which facts follow from what records can be, and from each other (docs/prove.md, section 4).

`care` is a set of cells that holds every record the table in question can have.
"""

from collections.abc import Callable
from dataclasses import replace

from acompass.prove.aggregates import Aggregates
from acompass.prove.cells import ALL, NONE, Cells
from acompass.prove.facts import Fact
from acompass.prove.levels import Levels
from acompass.prove.regions import Mask, regions_in
from acompass.syntax.tree import Function


class Laws:
    def __init__(self, levels: Levels):
        self.levels = levels
        self.diagrams = levels.diagrams
        self.aggregates = Aggregates(levels)

    def group_levels(self, fact: Fact) -> frozenset[int]:
        return self.levels.columns(fact.step, fact.groups)

    def is_empty(self, fact: Fact, care: Cells) -> bool:
        """Law of the empty class: no record can be in any."""
        return self.diagrams.both(care, fact.where) is NONE

    def follows(self, fact: Fact, care: Cells) -> bool:
        """Law of the values: all that the aggregate of a class of such records can be is allowed."""
        possible = self._possible(fact, self.diagrams.both(care, fact.where))
        return self.diagrams.minus(possible, fact.allowed) is NONE

    def _possible(self, fact: Fact, records: Cells) -> Cells:
        """Keys with the aggregate's possible values."""
        level = self.aggregates.level(fact)
        keys = self.group_levels(fact)
        if fact.column is None:
            return self.diagrams.both(self.diagrams.only(records, keys), self.diagrams.literal(level, -1))
        values = self.levels.values(fact.step, fact.column)
        by_key = self._with_values(fact, records, keys, values)
        return self.diagrams.relevel(
            by_key,
            values,
            lambda mask: self.diagrams.literal(level, self.aggregates.of_values(fact, mask)),
        )

    def _with_values(self, fact: Fact, records: Cells, keys: frozenset[int], values: int) -> Cells:
        """Keys with the aggregated column's values, said on its lower level."""
        assert fact.column is not None
        column = self.levels.column(fact.step, fact.column)
        kept = self.diagrams.only(records, keys | {column})
        if column not in keys:
            return self.diagrams.relevel(kept, column, lambda mask: self.diagrams.literal(values, mask))
        return self.diagrams.relevel(kept, column, lambda mask: self._twice(mask, column, values))

    def _twice(self, mask: Mask, column: int, values: int) -> Cells:
        same = (
            self.diagrams.both(self.diagrams.literal(column, 1 << r), self.diagrams.literal(values, 1 << r))
            for r in regions_in(mask)
        )
        return self.diagrams.union(same)

    def values(self, fact: Fact, care: Cells) -> Mask:
        """The aggregated column's values in the fact's classes."""
        if fact.column is None:
            return 0
        records = self.diagrams.both(care, fact.where)
        return self.diagrams.mask_of(records, self.levels.column(fact.step, fact.column))

    def records_with(self, fact: Fact, allowed: Cells, care: Cells) -> Cells:
        """The records that can be in a class whose key and aggregate are in `allowed`."""
        values = self.values(fact, care)

        def change(mask: Mask) -> Cells:
            if fact.column is None:
                return ALL if mask else NONE
            with_them = self.aggregates.values_with(fact, mask, values)
            return self.diagrams.literal(self.levels.column(fact.step, fact.column), with_them)

        within = self.diagrams.relevel(allowed, self.aggregates.level(fact), change)
        return self.diagrams.both(fact.where, within)

    def _changed(self, fact: Fact, allowed: Cells, change: Callable[[Mask], Mask]) -> Cells:
        level = self.aggregates.level(fact)
        return self.diagrams.relevel(allowed, level, lambda mask: self.diagrams.literal(level, change(mask)))

    def is_kept_by_merging(self, fact: Fact) -> bool:
        """Law of the union: classes that are allowed under one key stay so when they become one."""
        merged = self._changed(fact, fact.allowed, lambda mask: self.aggregates.of_merged(fact, mask))
        return self.diagrams.minus(merged, fact.allowed) is NONE

    def is_kept_by_parts(self, fact: Fact, care: Cells) -> bool:
        """Law of the part: what is left of an allowed class is allowed."""
        values = self.values(fact, care)
        parts = self._changed(fact, fact.allowed, lambda mask: self.aggregates.of_part(fact, mask, values))
        return self.diagrams.minus(parts, fact.allowed) is NONE

    def is_constant(self, cells: Cells, keys: frozenset[int], care: Cells) -> bool:
        """Whether records of `care` with the same key are all in `cells` or all outside."""
        inside = self.diagrams.only(self.diagrams.both(care, cells), keys)
        outside = self.diagrams.only(self.diagrams.minus(care, cells), keys)
        return self.diagrams.both(inside, outside) is NONE

    def _single_columns(self, fact: Fact, care: Cells) -> frozenset[int]:
        """Columns that have one value in all classes of the fact: they split nothing."""
        records = self.diagrams.both(care, fact.where)
        return frozenset(
            self.levels.column_of(level)
            for level in self.diagrams.support(records)
            if self.levels.single(level, self.diagrams.mask_of(records, level))
        )

    def without_single(self, fact: Fact, care: Cells) -> Fact:
        """Law of the one value: the same fact without the groups that split nothing."""
        records = self.diagrams.both(care, fact.where)
        for column in fact.groups:
            level = self.levels.column(fact.step, column)
            mask = self.diagrams.mask_of(records, level)
            if self.levels.single(level, mask):
                fixed = self.diagrams.both(fact.allowed, self.diagrams.literal(level, mask))
                allowed = self.diagrams.some(fixed, frozenset((level,)))
                fact = replace(fact, groups=fact.groups - {column}, allowed=allowed)
        return fact

    def implies(self, known: Fact, wanted: Fact, care: Cells) -> bool:
        """Law of the classes: the wanted classes are made of known ones, or of parts of them."""
        assert known.step == wanted.step
        if known.column != wanted.column and not _is_count_of_distinct(known, wanted):
            return False
        if self.diagrams.minus(self.diagrams.both(care, wanted.where), known.where) is not NONE:
            return False
        bounded = self._in_terms(known, wanted)
        if bounded is None:
            return False
        single = self._single_columns(known, care)
        known_keys = self.levels.columns(wanted.step, known.groups)
        are_whole = wanted.groups <= known.groups | single and self.is_constant(
            wanted.where, known_keys, self.diagrams.both(care, known.where)
        )
        if not are_whole:
            values = self.values(known, care)
            bounded = self._changed(
                wanted, bounded, lambda mask: self.aggregates.of_part(wanted, mask, values)
            )
        keys = self.diagrams.only(self.diagrams.both(care, wanted.where), known_keys)
        occurring = self.diagrams.both(bounded, keys)
        projected = self.diagrams.some(occurring, known_keys - self.group_levels(wanted))
        if not known.groups <= wanted.groups | single:
            projected = self._changed(wanted, projected, lambda mask: self.aggregates.of_merged(wanted, mask))
        wanted_keys = self.diagrams.only(self.diagrams.both(care, wanted.where), self.group_levels(wanted))
        return self.diagrams.minus(self.diagrams.both(projected, wanted_keys), wanted.allowed) is NONE

    def _in_terms(self, known: Fact, wanted: Fact) -> Cells | None:
        if known.function is wanted.function:
            return known.allowed
        if self.aggregates.in_terms_of(known, wanted.function, 0) is None:
            return None

        def change(mask: Mask) -> Mask:
            said = self.aggregates.in_terms_of(known, wanted.function, mask)
            assert said is not None
            return said

        return self._changed(known, known.allowed, change)


def _is_count_of_distinct(known: Fact, wanted: Fact) -> bool:
    """A class has at least as many records as distinct values of any column."""
    return {known.function, wanted.function} == {Function.COUNT, Function.COUNT_DISTINCT}
