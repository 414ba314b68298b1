"""What a release promises, in sentences that a curator can sign (D33 to D40).

Each sentence has a basis: it is proved for every table, it was checked on this output, it is so for every release, or
nothing is promised. A warning says what prevents the release, or what a reader would take for granted and should not.
A sentence is about records of the released table, and contains no value of a record."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from acompass.dataclasses import dataclass, replace
from acompass.engines.reading import missing_options
from acompass.errors.diagnostics import Span
from acompass.errors.display import count_text
from acompass.language.program import effects
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.program import (
    Aggregate,
    Assertion,
    Comparison,
    Process,
    Program,
    Requirement,
)
from acompass.language.program.types import Kind
from acompass.language.text import tree
from acompass.language.text.tree import Operator, Quantifier
from acompass.language.text.walk import assertion_of, names_dropped, names_split_by, step_of, steps_of
from acompass.options import DROP, ERROR, Opening
from acompass.policy import Policy, TableRoles
from acompass.result import NO_CHECK, After, RequirementOutcome, Result
from acompass.roles import ColumnRoles, locate_roles

Basis: TypeAlias = Literal["proved", "checked", "always", "none", "warning"]


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str  # names are in backticks
    basis: Basis
    line: int | None = None  # of the policy


@dataclass(frozen=True)
class Release:
    """A policy that was performed on all records of a table."""

    policy: Policy
    program: Program
    result: Result
    roles: TableRoles
    reading: Opening
    is_parquet: bool
    #: what a run without the DROPs at the end reports, if they drop a column that a line counts. They change no record,
    #: so the released records are in classes as large as before
    before_drops: Result | None = None

    def after(self, requirement: int) -> After:
        """Whether the released records satisfy an assertion; the columns that it counts may be dropped at the end."""
        found = self.result.requirements[requirement].after
        return found if found is not None else self._before_drops(requirement)

    def _before_drops(self, requirement: int) -> After:
        outcomes = () if self.before_drops is None else self.before_drops.requirements
        process = effects.process_of(self.program.requirements[requirement])
        if requirement >= len(outcomes) or process is None or not all(map(self.is_released, process.group_by)):
            return None
        found = outcomes[requirement].after
        return None if found == "violated" else found

    @property
    def located(self) -> ColumnRoles:
        return locate_roles(self.roles, self.names, self.policy.tree)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.program.schema]

    @property
    def split_persons(self) -> tree.Name | None:
        """The column of persons where a line writes it so that a person may have several values."""
        located = self.located
        found = (each for each in names_split_by(self.policy.tree) if located.person in located.names.find(each.text))
        return next(found, None)

    @property
    def person(self) -> int | None:
        """The column whose distinct values are persons."""
        return None if self.split_persons is not None else self.located.person

    @property
    def quasi_identifiers(self) -> list[int]:
        """Those of the released table."""
        return [column for column in self.located.columns("quasi_identifiers") if self.is_released(column)]

    def line(self, span: Span) -> int:
        return self.policy.text.count("\n", 0, span.start) + 1

    def is_released(self, column: int) -> bool:
        return self.program.final_schema[column].type.kind is not Kind.DROPPED

    @property
    def promised(self) -> list[Assertion]:
        """The assertions that the released table is known to satisfy, one for the steps of a THEN."""
        return [
            self.program.requirements[steps[-1]].assertion
            for steps in _steps(self.policy.tree)
            if self.after(steps[0]) in ("proved", "holds")
        ]


#: `checked` is then about a draw that the release does not have
_NEW_DRAWS = (
    "The release draws new random values: numbers on this page that depend on them may differ, and what was checked is "
    "checked again."
)


def release_sentences(release: Release) -> Iterator[Sentence]:
    yield from _of_requirements(release)
    if release.result.checks_nothing:
        yield Sentence(f"{NO_CHECK.capitalize()}: nothing is promised about the records.", "warning")
    yield from _of_classes(release)
    yield from _of_identifiers(release)
    yield from _of_sensitive_columns(release)
    yield from _of_columns(release)
    yield from _of_missing_values(release)
    if any(effects.draws(requirement.action) for requirement in release.program.requirements):
        yield Sentence(_NEW_DRAWS, "none")
    yield from _of_files(release)
    yield from (Sentence(f"{_capitalized(note.text)}.", "warning", note.line) for note in release.result.notes)


def requirement_spans(release: Release) -> dict[int, Span]:
    """The place of each requirement by the line of its first step."""
    requirements = zip(release.policy.tree.requirements, _steps(release.policy.tree), strict=True)
    return {release.result.requirements[steps[0]].line: requirement.span for requirement, steps in requirements}


def counts_dropped_columns(program: Program) -> bool:
    """Whether a line counts the values of a column that is not released, and no line draws: another run of the same
    lines has the same result."""
    processes = filter(None, map(effects.process_of, program.requirements))
    counted = frozenset[int]().union(*map(effects.columns_aggregated, processes))
    is_gone = any(program.final_schema[column].type.kind is Kind.DROPPED for column in counted)
    return is_gone and not any(effects.draws(requirement.action) for requirement in program.requirements)


def before_last_drops(policy: Policy) -> Policy | None:
    """The policy without the DROPs at its end; None if it has none, or nothing else."""
    kept = list(policy.tree.requirements)
    while kept and all(names_dropped(step_of(step)) for step in steps_of(kept[-1])):
        kept.pop()
    if not kept or len(kept) == len(policy.tree.requirements):
        return None
    return replace(policy, tree=replace(policy.tree, requirements=tuple(kept)))


def _steps(policy: tree.Program) -> Iterator[range]:
    start = 0
    for requirement in policy.requirements:
        steps = range(start, start + sum(1 for _ in steps_of(requirement)))
        yield steps
        start = steps.stop


def _of_requirements(release: Release) -> Iterator[Sentence]:
    for requirement, steps in zip(release.policy.tree.requirements, _steps(release.policy.tree), strict=True):
        outcome = release.result.requirements[steps[0]]
        asserted = assertion_of(requirement)
        if asserted is None:
            continue
        text = " ".join(release.policy.text[asserted.span.start : asserted.span.end].split())
        last = release.program.requirements[steps[-1]]
        match release.after(steps[0]):
            case "proved" | "holds" if not outcome.is_failed_check and _demands_nothing(last.assertion):
                yield Sentence(f"`{text}` demands nothing: every class satisfies it.", "warning", outcome.line)
            case "proved" if not outcome.is_failed_check:
                yield Sentence(_promise(release, last, text), "proved", outcome.line)
            case "holds" if not outcome.is_failed_check:
                yield Sentence(_promise(release, last, text), "checked", outcome.line)
            case _:
                yield Sentence(*_not_promised(release, outcome, text), outcome.line)


def _demands_nothing(assertion: Assertion) -> bool:
    """Whether all that classes must have is what each has anyway, as with k = 1."""
    process = effects.process_in(assertion)
    if process is None or not process.group_by:
        return False
    bounds = list(_lower_bounds(assertion, process))
    is_all = len(bounds) == len(list(effects.comparisons(assertion.condition)))
    return is_all and all(aggregate.facts.is_count and not _demands_two(bound) for aggregate, bound in bounds)


def _not_promised(release: Release, outcome: RequirementOutcome, text: str) -> tuple[str, Basis]:
    part = f"{outcome.affected:,} of {count_text(outcome.records, 'record')}"
    if outcome.is_failed_check:
        return f"`{text}` is violated by {part}, and the line has no action: nothing is written.", "warning"
    if outcome.after == "violated" and outcome.is_accepted:
        return f"The released table does not satisfy `{text}`; the policy accepts that.", "warning"
    if outcome.after == "violated":
        return f"The table would not satisfy `{text}` after the last line: nothing is written.", "warning"
    if not release.result.records_out:
        return f"No record is left: nothing is promised by `{text}`.", "none"
    if outcome.probability is not None:
        return f"Nothing is promised by `{text}`: its action is performed by chance.", "none"
    if not outcome.is_promise:
        return f"Nothing is promised by `{text}`: it only selects the records that its action changes.", "none"
    return f"Nothing is promised by `{text}`: later lines drop or replace the values that it compares.", "none"


def _promise(release: Release, requirement: Requirement, text: str) -> str:
    """The assertion in words, if it has a common form."""
    assertion, names = requirement.assertion, release.names
    if assertion.quantifier is not Quantifier.EACH or effects.filter_in(assertion) is not None:
        return f"The released table satisfies `{text}`."
    process = effects.process_in(assertion)
    if process is None:
        return f"Every released record satisfies `{text}`."
    amount = _amount(assertion, process, names, release.person)
    if amount is None:
        return f"Every class of the released table satisfies `{text}`."
    if dropped := [column for column in effects.columns_aggregated(process) if not release.is_released(column)]:
        amount += f", counted before {_listed([names[column] for column in sorted(dropped)])} {_is(dropped)} dropped"
    if not process.group_by:
        return f"The released table has {amount}."
    listed = _listed([names[column] for column in process.group_by])
    return f"Released records with equal values in {listed} form classes with {amount}."


def _amount(assertion: Assertion, process: Process, names: Sequence[str], person: int | None) -> str | None:
    """The lower bounds of the assertion in words; None if it has other conditions."""
    bounds = list(_lower_bounds(assertion, process))
    texts = [_bound(aggregate, comparison, names, person) for aggregate, comparison in bounds]
    if not texts or len(texts) < len(list(effects.comparisons(assertion.condition))) or None in texts:
        return None
    return " and ".join(text for text in texts if text is not None)


def _lower_bounds(assertion: Assertion, process: Process) -> Iterator[tuple[Aggregate, Comparison]]:
    """Those that hold for all records of every class."""
    if process.where is None:
        for aggregate, comparison in _required_of_aggregates(assertion, process):
            if comparison.operator in (Operator.GE, Operator.GT) and not isinstance(comparison.value, bool):
                yield aggregate, comparison


def _required_of_aggregates(assertion: Assertion, process: Process) -> Iterator[tuple[Aggregate, Comparison]]:
    for comparison in effects.required_comparisons(assertion.condition):
        place = comparison.column - len(process.group_by)
        if place >= 0 and process.aggregates[place].reference is None:
            yield process.aggregates[place], comparison


def _bound(aggregate: Aggregate, comparison: Comparison, names: Sequence[str], person: int | None) -> str | None:
    words = "at least" if comparison.operator is Operator.GE else "more than"
    many = "" if comparison.value == 1 else "s"
    noun = _counted(aggregate, many, names, person)
    return None if noun is None else f"{words} {comparison.value} {noun}"


def _counted(aggregate: Aggregate, many: str, names: Sequence[str], person: int | None) -> str | None:
    if aggregate.facts.counts_records and aggregate.column is None:
        return f"record{many}"
    if aggregate.facts.counts_distinct and aggregate.column is not None:
        name = names[aggregate.column]
        return f"person{many} (`{name}`)" if aggregate.column == person else f"different value{many} of `{name}`"
    return None


def _of_classes(release: Release) -> Iterator[Sentence]:
    """Whether classes by the quasi-identifiers are counted, and in what."""
    located, person = release.located, release.person
    counted = [aggregate for aggregate, comparison in _bounds_of_classes(release) if _demands_two(comparison)]
    of_persons = any(each.facts.counts_distinct and each.column == person for each in counted if person is not None)
    of_records = any(each.facts.counts_records for each in counted)
    marked = release.quasi_identifiers
    if marked and not (of_persons or of_records):
        listed = located.listed(marked)
        yield Sentence(f"Nothing is promised about how many records or persons share their values in {listed}.", "none")
    if release.split_persons is not None:
        name = located.names.texts[located.names.find(release.split_persons.text)[0]]
        yield Sentence(
            f"A line changes `{name}` so that records of one person may have different values: "
            "`COUNT DISTINCT` of it does not count persons.",
            "warning",
            release.line(release.split_persons.span),
        )
    elif of_records and not of_persons and person is not None:
        yield Sentence(
            f"Classes are counted in records, not in persons: a person in {located.listed([person])} may have several "
            "of them. `COUNT DISTINCT` of that column counts persons.",
            "warning",
        )
    elif of_records and person is None:
        yield Sentence(
            "Classes are counted in records. That protects persons only if each record is a different person: "
            "no column is known to tell persons apart.",
            "none",
        )


def _bounds_of_classes(release: Release) -> Iterator[tuple[Aggregate, Comparison]]:
    """The bounds of the promised assertions for classes by all quasi-identifiers, or for parts of such classes."""
    marked = set(release.quasi_identifiers)
    for assertion in release.promised:
        process = effects.process_in(assertion)
        if process is None or process.where is not None or assertion.quantifier is not Quantifier.EACH:
            continue
        if marked <= set(process.group_by):
            yield from _required_of_aggregates(assertion, process)


def _demands_two(comparison: Comparison) -> bool:
    """Whether a bound demands more than a class has anyway: each has a record, a person and a value."""
    return (effects.least_count(comparison) or 0) > 1


def _of_identifiers(release: Release) -> Iterator[Sentence]:
    located, requirements = release.located, release.program.requirements
    if not release.roles.are_given:
        yield Sentence("No column has a role: nothing is promised about identifiers.", "warning")
        return
    identifiers = located.columns("identifiers")
    if not identifiers:
        yield Sentence("No column has the role of an identifier: nothing is promised about identifiers.", "none")
    overwritten = frozenset[int]().union(*map(effects.columns_overwritten, requirements))
    pseudonyms = effects.columns_with_pseudonyms(requirements)
    gone = [column for column in identifiers if not release.is_released(column)]
    coded = [column for column in identifiers if column in overwritten and column in pseudonyms and column not in gone]
    hidden = [column for column in identifiers if column in overwritten and column not in {*gone, *coded}]
    kept = [column for column in identifiers if column not in {*gone, *coded, *hidden}]
    if gone:
        yield Sentence(
            f"The {_identifiers(gone)} {located.listed(gone)} {_is(gone)} not in the released table.", "always"
        )
    if coded:
        yield Sentence(
            f"The {_identifiers(coded)} {located.listed(coded)} {_is(coded)} replaced with pseudonyms: whoever has the "
            "key can find out which person each one stands for.",
            "always",
        )
    if hidden:
        text = f"The {_identifiers(hidden)} {located.listed(hidden)} {_is(hidden)} overwritten in every record."
        yield Sentence(text, "always")
    if kept:
        text = f"The {_identifiers(kept)} {located.listed(kept)} would be released: nothing is written."
        yield Sentence(text, "warning")
    if undecided := located.undecided:
        are = "has" if len(undecided) == 1 else "have"
        yield Sentence(f"{located.listed(undecided)} {are} no role: nothing is written.", "warning")


def _of_sensitive_columns(release: Release) -> Iterator[Sentence]:
    located = release.located
    demanding = (
        aggregate.column for aggregate, bound in _bounds_of_classes(release) if _demands_others(aggregate, bound)
    )
    diverse = frozenset(column for column in demanding if column is not None)
    open_ = [each for each in located.columns("sensitive") if release.is_released(each) and each not in diverse]
    if open_:
        text = (
            f"Nothing is promised about {located.listed(open_)} within a class: all of its records may have one value."
        )
        yield Sentence(text, "none")
    for requirement in release.program.requirements:
        hidden = diverse & effects.written_by(requirement.action)
        if hidden and effects.constant_written(requirement.action) == SUPPRESSED:
            counted = located.listed(sorted(hidden))
            text = f"`{SUPPRESSED}` counts as a value of {counted}: a class may have only one other value."
            yield Sentence(text, "warning", requirement.line)


def _demands_others(aggregate: Aggregate, comparison: Comparison) -> bool:
    """Whether a bound excludes classes in which a column has only one value."""
    if aggregate.facts.counts_distinct:
        return _demands_two(comparison)
    value, is_share = comparison.value, aggregate.facts.is_share and aggregate.facts.tells_values_apart
    if not is_share or isinstance(value, str | bool) or not isinstance(value, int | Decimal):
        return False
    return (comparison.operator is Operator.LE and value < 1) or (comparison.operator is Operator.LT and value <= 1)


def _of_columns(release: Release) -> Iterator[Sentence]:
    """Columns that no line changes, except those that the sentences on identifiers name."""
    located = release.located
    written = effects.columns_written(release.program.requirements) | set(located.columns("identifiers"))
    same = [place for place in range(len(release.names)) if release.is_released(place) and place not in written]
    if same:
        yield Sentence(f"No line of the policy changes values of {located.listed(same)}.", "none")


def _of_missing_values(release: Release) -> Iterator[Sentence]:
    """Only missing values of columns that the policy names are replaced (D11, missing values)."""
    dropped, names = release.result.dropped, release.names
    if dropped:
        are = "record with a missing value is" if dropped == 1 else "records with missing values are"
        yield Sentence(f"{dropped:,} {are} dropped before the first line.", "checked")
    options = missing_options(release.reading.get("missing") or ERROR, names)
    choices = {column: options.for_column(column) for column in sorted(release.program.named)}
    filled = {column: value for column, value in choices.items() if value not in (ERROR, DROP)}
    replaced = (f"`{names[column]}` with `{value}`" for column, value in filled.items() if release.is_released(column))
    if listed := ", ".join(replaced):
        yield Sentence(f"Missing values are replaced: in {listed}.", "always")
    if release.person is not None and release.person in filled:
        text = f"Records without a value of {_listed([names[release.person]])} count as those of one more person in "
        yield Sentence(f"{text}their class.", "warning")


def _of_files(release: Release) -> Iterator[Sentence]:
    if release.is_parquet:
        text = "The file has no categories, dictionary entries or statistics that only removed records had."
        yield Sentence(text, "always")
    if effects.needs_key(release.program.requirements):
        yield Sentence("The key is in none of the files.", "always")
    yield Sentence("The report for the recipients has neither the size nor a hash of the original file.", "always")


def _identifiers(columns: Sequence[Any]) -> str:
    return "identifier" if len(columns) == 1 else "identifiers"


def _is(columns: Sequence[Any]) -> str:
    return "is" if len(columns) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
