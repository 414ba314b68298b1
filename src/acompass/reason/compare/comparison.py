"""Compare two policies: their equivalence, their guarantees, and the impact of replacing one with the other.

`compare_policies` is the entry point. `equivalence` decides the equivalence; this module decides which guarantees are
kept, and describes in words the records and values that only the new policy can release. A guarantee is an assertion
of the policy that `prove` proves for the table that a run writes. A check is known to hold when it runs, so it is a
guarantee if no later line can break it (D31, claims)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Literal, TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.errors.diagnostics import PolicyError
from acompass.errors.diagnostics import Source as Lines
from acompass.language.program.constants import ParamValue
from acompass.language.program.types import TEXT, Column, Schema, Type, remaining, to_text
from acompass.language.text.tree import place_of
from acompass.policy import Policy
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask, Regions, regions_in
from acompass.prove.proof import Claim, ClaimVerdict, Exhausted, recursion_limit
from acompass.prove.search.claims import ParsedClaim, policy_assertions
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.compare.answer import Comparison, Impact, Release, Releases
from acompass.reason.compare.equivalence import overall_equivalence
from acompass.reason.compare.pairs import Inputs, Pair, typed_pairs
from acompass.reason.compare.releases import ReleaseVerdict, decide_releases
from acompass.reason.compare.symbols import (
    Constant,
    Derived,
    Expression,
    Labelling,
    State,
    Symbolic,
    Symbols,
    normal_form,
)
from acompass.reason.privacy.mentions import Undecided, is_record_level
from acompass.reason.privacy.representatives import Alike

#: for each expression, the kinds of a column's own values for which it is released
_Released: TypeAlias = dict[Expression, Mask]
#: at most this many sets of records are described
MOST_SETS = 8
#: at most this many texts are listed
MOST_TEXTS = 5


def compare_policies(
    old: Policy,
    new: Policy,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
) -> Comparison:
    """Compare two policies for every table and trace. A parameter has the same value in both. Without a schema, the
    columns are those that the policies name; `types` gives the types of some of them."""
    given = Inputs(schema, dict(params or {}), types)
    columns, pairs = typed_pairs(old, new, schema, given.params, types)
    found = overall_equivalence(pairs)
    released = decide_releases(pairs, found)
    kept, reverse = kept_guarantees(old, new, given), kept_guarantees(new, old, given)
    if found.is_equivalent:
        kept, reverse = map(_decide_by_equivalence, (kept, reverse))
    return Comparison(
        False if released.difference else found.is_equivalent,
        found.reason,
        released.difference or found.difference,
        released.releases,
        kept,
        reverse,
        impact(pairs, kept, released),
        columns.names(),
        tuple(columns.schema[at].name for at in sorted(columns.inferred)),
    )


def _decide_by_equivalence(guarantees: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Equivalent policies give the same guarantees, even where the proofs differ."""
    return tuple(
        replace(claim, verdict=ClaimVerdict.PROVED, reason="the policies are equivalent")
        if claim.verdict is ClaimVerdict.UNDECIDED
        else claim
        for claim in guarantees
    )


def kept_guarantees(policy: Policy, other: Policy, given: Inputs) -> tuple[Claim, ...]:
    """The guarantees of a policy, with verdicts about the other one."""
    own = _own_assertions(policy)
    claims = _verdicts(policy, other, policy, list(own), given)
    proved = [claim.text for claim in claims if claim.verdict is ClaimVerdict.PROVED]
    verdicts = _verdicts(other, policy, policy, proved, given)
    return tuple(replace(claim, line=own[claim.text]) for claim in verdicts)


def _own_assertions(policy: Policy) -> dict[str, int | None]:
    """The line of each assertion, by its text."""
    lines = Lines(policy.text)
    found: dict[str, int | None] = {}
    for _, assertion in policy_assertions(policy.tree):
        place = place_of(assertion.span)
        line = None if place is None else lines.position(place.start)[0]
        found.setdefault(ParsedClaim(policy.text, assertion, policy=policy.tree).text, line)
    return found


def _verdicts(policy: Policy, other: Policy, claimed_by: Policy, texts: Sequence[str], given: Inputs) -> list[Claim]:
    """A claim that does not fit the final table of the policy is undecided."""
    if not texts:
        return []
    try:
        asked = (policy.tree, policy.text, texts, given.schema, given.params, given.types)
        proof = prove_policy(*asked, others=(other.tree,), deadline=None, claimed_by=claimed_by.tree)
        return list(proof.claims)
    except PolicyError as error:
        if len(texts) > 1:
            return [claim for text in texts for claim in _verdicts(policy, other, claimed_by, [text], given)]
        reason = f"it does not fit the table that this policy writes: {error.diagnostics[0].message}"
        return [Claim(texts[0], None, ClaimVerdict.UNDECIDED, reason)]


def impact(pairs: Sequence[Pair], guarantees: Sequence[Claim], found: ReleaseVerdict) -> Impact:
    """`guarantees` are those of the old policy, with verdicts about the new one."""
    lost = tuple(claim for claim in guarantees if claim.verdict is not ClaimVerdict.PROVED)
    if found.releases in (Releases.SAME, Releases.NO_MORE):
        return Impact(lost, ())
    released: tuple[Release, ...] = ()
    with suppress(Undecided, Exhausted), recursion_limit():
        released = next((each for each in map(find_releases, pairs) if each), ())
    return Impact(lost, released or None, found.reason)


def find_releases(pair: Pair) -> tuple[Release, ...]:
    """Kinds of records and values that the new policy can release and the old one cannot, to describe what more is
    released. Every decision by other records or by chance counts as possible, so the list may be empty although the
    new policy releases more."""
    return tuple(_ReleaseSearch(pair).releases())


class _ReleaseSearch:
    def __init__(self, pair: Pair):
        self._symbols = Symbols(pair.programs)
        self._symbolic = Symbolic(self._symbols)
        self._schema = pair.schema
        self._final = pair.new.final_schema
        self._old, self._new = (self._symbolic.end(program) for program in pair.programs)
        self._words = Words(self._symbols, pair.schema)
        is_about_records = all(map(is_record_level, pair.new.requirements))
        self._is_certain = is_about_records and not self._symbols.unknown

    def releases(self) -> Iterator[Release]:
        diagrams, columns = self._symbols.diagrams, range(len(self._schema))
        # the records that each policy can keep, whatever other records and chance decide
        ours, theirs = (diagrams.project(self._symbolic.live(state), columns) for state in (self._old, self._new))
        for words in islice(self._words.records(diagrams.difference(theirs, ours)), MOST_SETS):
            yield Release(None, words, self._is_certain)
        for column in remaining(self._final):
            yield from self._column_releases(column)

    def _column_releases(self, column: int) -> Iterator[Release]:
        old, new = (self._released_values(state, column) for state in (self._old, self._new))
        for expression, mask in new.items():
            kinds = [kind for kind in regions_in(mask) if self._reveals_more(column, kind, expression, old, new)]
            if kinds:
                words = self._describe(column, expression, sum(1 << kind for kind in kinds))
                yield Release(self._schema[column].name, words, self._is_certain)

    def _released_values(self, state: State, column: int) -> _Released:
        diagrams, live = self._symbols.diagrams, self._symbolic.live(state)
        return {
            expression: diagrams.mask_of(both, column)
            for expression, records in state.columns[column].items()
            if (both := diagrams.intersection(records, live)) is not EMPTY
        }

    def _reveals_more(self, column: int, kind: int, expression: Expression, old: _Released, new: _Released) -> bool:
        """Whether the expression reveals more about a kind than anything the old policy releases."""
        before = [known for known, mask in old.items() if mask >> kind & 1]
        match expression:
            case Derived(variable) if variable == column:
                return not any(self._reveals_as_much(known, expression, kind) for known in before)
            case Derived():
                return False  # a drawn value reveals nothing about the record's own value
            case Constant():
                return not any(
                    known == expression or self._is_coarser(column, kind, new[expression], known, old)
                    for known in before
                ) and bool(before)
            case _:
                assert_never(expression)

    def _reveals_as_much(self, known: Expression, expression: Derived, kind: int) -> bool:
        """Whether the old value is raw, the same as the new one, or turned into the new one by the last map."""
        within = self._symbols.diagrams.literal(expression.variable, 1 << kind)
        if _is_raw(known) or self._symbols.differing(known, expression, TEXT, within) is EMPTY:
            return True
        last = expression.steps[-1] if expression.steps else None
        return (
            isinstance(known, Derived)
            and isinstance(last, Labelling)
            and normal_form(Derived(known.variable, (*known.steps, last))) == normal_form(expression)
        )

    def _is_coarser(self, column: int, kind: int, mask: Mask, known: Expression, old: _Released) -> bool:
        """Whether one value now replaces all kinds that the old value could come from."""
        if _is_raw(known):
            return True
        values = self._values(column, known, kind)
        return all(
            mask >> other & 1
            for released, kinds in old.items()
            for other in regions_in(kinds)
            if values & self._values(column, released, other)
        )

    def _values(self, column: int, expression: Expression, kind: int) -> frozenset[object]:
        """The values that an expression can have in records of this kind of the column."""
        match expression:
            case Constant(value):
                return frozenset((value,))
            case Derived(variable):
                kinds = (kind,) if variable == column else range(len(self._symbols.kinds[variable]))
                return frozenset(value for each in kinds for value in self._symbols.samples(expression, each))
            case _:
                assert_never(expression)

    def _describe(self, column: int, expression: Expression, mask: Mask) -> str:
        values = self._words.values(column, mask)
        match expression:
            case Constant(value):
                replaced = f"values {values}" if values else "every value"
                return f"{value} in place of {replaced}"
            case Derived() if _is_raw(expression):
                return f"{values} unchanged" if values else "unchanged"
            case Derived():
                label = self._symbols.samples(expression, next(iter(regions_in(mask))))[0]
                labels = f"as labels such as {label}"
                return f"{values} {labels}" if values else labels
            case _:
                assert_never(expression)


def _is_raw(expression: Expression) -> bool:
    """Whether it is an input or drawn value, up to type changes."""
    match expression:
        case Constant():
            return False
        case Derived(_, steps):
            return not any(isinstance(step, Labelling) for step in steps)
        case _:
            assert_never(expression)


class Words:
    """Describes sets of values and records in words."""

    def __init__(self, symbols: Symbols, schema: Schema):
        self._symbols = symbols
        self._schema = schema

    def values(self, column: int, mask: Mask) -> str:
        """The values of these kinds; empty if they are all values."""
        if mask == self._symbols.diagrams.full[column]:
            return ""
        regions = self._symbols.columns[column].regions()
        samples = [self._symbols.kinds[column][kind][0] for kind in regions_in(mask)]
        if regions is None:
            return self._texts(column, mask)
        found = {regions.region_of(value) for value in samples}
        return ", ".join(_intervals(regions, sorted(found), self._schema[column]))

    def _texts(self, column: int, mask: Mask) -> str:
        """A list of single texts and examples of the others, or the single texts that are excluded."""
        kinds = list(enumerate(self._symbols.kinds[column]))
        left_out = [alike for kind, alike in kinds if not mask >> kind & 1]
        if all(len(alike) == 1 for alike in left_out):
            return f"all texts but {_list_texts(left_out)}"
        named = [alike for kind, alike in kinds if mask >> kind & 1 and len(alike) == 1]
        others = [alike for kind, alike in kinds if mask >> kind & 1 and len(alike) > 1]
        return ", ".join([_list_texts(named)] * bool(named) + [f"texts such as {_list_texts(others)}"] * bool(others))

    def records(self, diagram: Diagram) -> Iterator[str]:
        """A description of each part of a set of records."""
        for path in _diagram_paths(diagram):
            parts = [f"`{self._schema[column].name}` {self.values(column, mask)}" for column, mask in path]
            yield " and ".join(parts) or "all records"


def _list_texts(kinds: Sequence[Alike]) -> str:
    more = [] if len(kinds) <= MOST_TEXTS else ["…"]
    return ", ".join([*(f"'{alike[0]}'" for alike in kinds[:MOST_TEXTS]), *more])


def _diagram_paths(
    diagram: Diagram, path: tuple[tuple[Variable, Mask], ...] = ()
) -> Iterator[tuple[tuple[Variable, Mask], ...]]:
    if diagram is ALL:
        yield path
    for mask, child in diagram.edges:
        yield from _diagram_paths(child, (*path, (diagram.variable, mask)))


def _intervals(regions: Regions, found: Sequence[int], column: Column) -> Iterator[str]:
    """Merge adjacent regions and describe each run."""
    runs: list[list[int]] = []
    for region in found:
        if runs and not any(regions.full >> between & 1 for between in range(runs[-1][-1] + 1, region)):
            runs[-1].append(region)
        else:
            runs.append([region])
    for run in runs:
        yield _interval(regions, run[0], run[-1], column)


def _interval(regions: Regions, first: int, last: int, column: Column) -> str:
    low, high = _end(regions, first, column, -1), _end(regions, last, column, 1)
    if low and high:
        if first == last and first % 2:
            return _point_text(regions, first, column)
        if high.startswith("below"):
            return f"{low} and {high}"
        return f"{low} {high}" if low.startswith("from") else f"{low} up {high}"
    if low:
        return f"{low} up" if low.startswith("from") else low
    return f"up {high}" if high.startswith("to") else high or "any value"


def _end(regions: Regions, region: int, column: Column, step: Literal[-1, 1]) -> str:
    """The lower or the upper bound in words, exclusive for a gap; empty if there is none. `step` leads out of it."""
    at, beyond = ("from", "above") if step < 0 else ("to", "below")
    point = _point_text(regions, region, column)
    if point:
        return f"{at} {point}"
    bound = regions.bounds(region)[step > 0]
    return "" if bound is None else f"{beyond} {_point_text(regions, region + step, column)}"


def _point_text(regions: Regions, region: int, column: Column) -> str:
    """The constant of a point; empty for a gap."""
    constant = regions.constant(region)
    return "" if constant is None else to_text(constant, column.type)
