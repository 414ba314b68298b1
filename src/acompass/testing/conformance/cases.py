"""Generate random cases: well-typed programs in the everyday language, each with a table and a trace.

Constants are taken from the table and from the results of earlier actions, so that conditions split the table,
requirements undo each other, and groups merge. Whether a requirement beyond the paper (X1 to X6, X10 to X18) is well
typed depends on the maps before it. Each is therefore checked together with the earlier requirements, and replaced
by one in the paper's language if it does not fit."""

import math
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import Diagnostic
from acompass.language.program.checker import check
from acompass.language.program.effects import outcome_cuts, with_key, write_of
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.keys import Key
from acompass.language.program.label_maps import UnlabeledValueError, is_iso_date
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import (
    EXACT,
    INTEGER,
    MOST_DIGITS,
    SHARE,
    TEXT,
    Column,
    Kind,
    Schema,
    Type,
    Value,
    at_scale,
    convert,
    decimal,
    to_text,
)
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.semantics import core
from acompass.semantics.values import share_of_largest, share_of_mode
from acompass.tables.csv import quote_field
from acompass.testing.conformance.policies import (
    DATE_TEXTS,
    KINDS,
    Attribute,
    PolicyWriter,
    digit_count,
    literal,
    random_probability,
    random_type,
    random_value,
    random_weights,
    trace_value_near,
)

#: column names, each as a policy writes it
_NAMES = (
    *(("Age", "Age"), ("age", "age"), ("Postal Code", "Postal  Code"), ("education-num", "education-num")),
    *(("AEC (kWh)", '"AEC (kWh)"'), ("select", "select"), ("Größe", "Größe"), ("x.y", "x.y"), ("count", "count")),
    *(('say "hi"', '"say ""hi"""'), ("group", '"group"'), ("1st", '"1st"'), ("it's", '"it\'s"'), ("_", "_")),
    *((" padded ", '" padded "'), ("c0", "c0"), ("rowid", "rowid"), ("%s", '"%s"')),
)
#: the name of the reference table
REFERENCE = "reference.csv"
#: values of a reference table that GENERALIZE or REPLACE may write
_REFERENCED = ("*", "10-14", "0-4", "212**", "2024", "a*", "80")
#: keys of PSEUDONYM and SHIFT: of the shortest length, of the block of SHA-256, and of a longer one
_KEYS = ("0123456789abcdef" * 2, "Clé d'été; " * 6, "s" * 64, "k: " * 30)


@dataclass(frozen=True, slots=True)
class Case:
    policy_text: str
    schema: Schema
    records: list[tuple[Any, ...]]
    trace: list[Fraction]  # long enough for every run of the program
    params: dict[str, Any]
    #: the precision that a decimal column is stored with, by its name; by default the highest
    digits: Mapping[str, int] = field(default_factory=dict)
    key: str = _KEYS[0]  # of PSEUDONYM and SHIFT
    reference: str = ""  # the content of the file REFERENCE (X14)

    def tree(self) -> tuple[tree.Program, tuple[Diagnostic, ...]]:
        program, findings = parse_text(self.policy_text)
        return _with_reference(program, self.reference), findings

    def program(self) -> Program:
        tree, findings = self.tree()
        assert not findings, (self.policy_text, findings)
        program, errors = check(tree, self.policy_text, self.schema, self.params)
        assert program is not None, (self.policy_text, self.schema, errors)
        return with_key(program, Key(self.key.encode()))


def random_case(
    rng: random.Random, kinds: Sequence[Kind] = KINDS, *, stops: bool = False, references: bool = False
) -> Case:
    """With `stops`, a run may stop at a value that has no label (X2, labels) or that cannot be written (X12 to X18).
    With `references`, policies may use a reference table (X14)."""
    while True:
        case = _random_case(rng, kinds, references)
        if stops or not _is_stopped(case):
            return case


def _is_stopped(case: Case) -> bool:
    try:
        core.run_program(case.program(), case.records, core.trace_of_values(case.trace))
    except (UnlabeledValueError, UnfitValueError):
        return True
    return False


def _random_case(rng: random.Random, kinds: Sequence[Kind], references: bool) -> Case:
    attributes = random_attributes(rng, kinds)
    schema = tuple(Column(attribute.name, attribute.type) for attribute in attributes)
    digits = {a.name: _random_digits(rng, a) for a in attributes if a.type.kind is Kind.DECIMAL}
    named = attributes[: rng.randint(1, len(attributes))]
    records = _random_records(rng, attributes, len(named))
    order = rng.sample(range(len(schema)), len(schema))
    key = rng.choice(_KEYS)
    reference = _random_reference(rng, named) if references else ""
    writer = EverydayWriter(rng, list(named), kinds, key, reference)
    requirements = [writer.requirement() for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6, 8)))]
    return Case(
        policy_text="\n".join(requirements),
        schema=tuple(schema[column] for column in order),
        records=[tuple(record[column] for column in order) for record in records],
        # WITH PROBABILITY and RANDOM, or ADD RANDOM, in one step draw twice
        trace=[_random_rho(rng, writer.cuts) for _ in range(2 * len(records) * writer.steps)],
        params=writer.params,
        digits=digits,
        key=key,
        reference=reference,
    )


def _random_reference(rng: random.Random, attributes: list[Attribute]) -> str:
    """A file with the columns of the table, some of their values and labels, and numbers to add. A name that occurs in
    its column would be taken for a value (D37)."""
    pools = [
        [text for text in (*(to_text(value, each.type) for value in each.pool), *_REFERENCED) if text != each.name]
        for each in attributes
    ]
    numbers = rng.choice((("0", "1", "2", "5", "-3"), ("1", "2.5", "0.05"), (str(2**62), str(-(2**63)), "7")))
    rows = [[*(rng.choice(pool) for pool in pools), rng.choice(numbers)] for _ in range(rng.randint(1, 12))]
    header = [*(each.name for each in attributes), "people"]
    # a field with quotes is never a missing value (D11)
    return "".join(",".join(map(quote_field, row)) + "\n" for row in (header, *rows))


def _with_reference(program: tree.Program, reference: str) -> tree.Program:
    return replace(program, hierarchies={REFERENCE: reference.encode()}) if reference else program


def random_attributes(rng: random.Random, kinds: Sequence[Kind] = KINDS) -> list[Attribute]:
    attributes = []
    for name, spelling in rng.sample(_NAMES, rng.randint(1, 5)):
        type_ = random_type(rng, kinds)
        are_dates = type_.kind is Kind.TEXT and rng.random() < 0.25
        pool = [rng.choice(DATE_TEXTS) if are_dates else random_value(rng, type_) for _ in range(rng.randint(1, 4))]
        attributes.append(Attribute(name, spelling, type_, pool))
    return attributes


def _random_digits(rng: random.Random, attribute: Attribute) -> int:
    needed = max(1, *(digit_count(at_scale(value, attribute.type.scale)) for value in attribute.pool))
    return rng.choice((needed, MOST_DIGITS, rng.randint(needed, MOST_DIGITS)))


def _random_records(rng: random.Random, attributes: list[Attribute], named: int) -> list[tuple[Any, ...]]:
    """Columns from position `named` on may have missing values."""
    pools: list[list[Any]] = [
        attribute.pool if position < named else _incomplete(rng, attribute)
        for position, attribute in enumerate(attributes)
    ]
    records = [tuple(rng.choice(pool) for pool in pools) for _ in range(rng.randint(0, 12))]
    if len(records) > 1 and rng.random() < 0.5:
        records[0] = records[-1]
    return records


def _incomplete(rng: random.Random, attribute: Attribute) -> list[Any]:
    missing: list[Any] = [None] if rng.random() < 0.5 else []
    if attribute.type.kind is Kind.FLOAT and rng.random() < 0.3:
        missing.append(float("nan"))
    return [*attribute.pool, *missing]


def _random_rho(rng: random.Random, cuts: Sequence[Fraction]) -> Fraction:
    """A value with a finite decimal expansion, so that a trace file can hold it."""
    if cuts and rng.random() < 0.4:
        return trace_value_near(rng, cuts)
    few = (Fraction(0), Fraction(1, 2), Fraction(rng.randrange(10), 10), Fraction(2**52 - 1, 2**52))
    return rng.choice((*few, Fraction(rng.randrange(2**52), 2**52), Fraction(rng.randrange(10**20), 10**20)))


_ATTEMPTS = 3
_BANDS = (
    *("BANDS OF 5", "BANDS OF 10", "BANDS OF 1", "BANDS OF 5 UP TO 80", "BANDS OF 10 FROM 0 UP TO 80"),
    *("BANDS OF 20 FROM -20", "BANDS AT 0, 5, 80", "BANDS AT 80", "BANDS OF 40"),
)
_FINE_BANDS = ("BANDS OF 0.5", "BANDS OF 0.25 FROM -1 UP TO 2.5", "BANDS AT 0.1, 1, 2.50", "BANDS OF 1")
_DATE_UNITS = ("MONTH", "QUARTER", "YEAR", "DECADE")
_DATE_KINDS = (Kind.DATE, Kind.TIMESTAMP)
_NEAREST = ("NEAREST 5", "NEAREST 3", "NEAREST 15", "NEAREST 1", "NEAREST 10", "NEAREST 5.0", "NEAREST 1000")
_FINE_NEAREST = ("NEAREST 0.5", "NEAREST 0.1", "NEAREST 2.50", "NEAREST 0.0003", "NEAREST 0.3")
#: bounds of ADD RANDOM; with the last ones, most sums leave 64 bits
_SMALL_BOUNDS = ((0, 0), (-2, 2), (1, 3), (-100, 100), (-(2**33), 2**33))
_LARGE_BOUNDS = ((-(2**63), 2**63 - 1), (2**62, 2**62 + 1), (-(2**63), -(2**63)))
_NO_WILDCARDS = str.maketrans("", "", "%_")
_WEIGHTED_TEXTS = ("*", "212**", "", "été", "n/a ", "10-14", "flu")


class EverydayWriter(PolicyWriter):
    """Writes requirements that may go beyond the paper, if they fit the earlier ones."""

    def __init__(
        self,
        rng: random.Random,
        attributes: list[Attribute],
        kinds: Sequence[Kind] = KINDS,
        key: str = _KEYS[0],
        reference: str = "",
    ):
        super().__init__(rng, attributes, kinds)
        self._key = Key(key.encode())
        self._reference = reference
        self._schema = tuple(Column(attribute.name, attribute.type) for attribute in attributes)
        self._requirements: list[tree.Requirement] = []
        #: the number of requirements so far, with each step of a THEN counted
        self.steps = 0
        #: the cuts of every probability and every list of weighted values so far
        self.cuts: list[Fraction] = []

    def requirement(self) -> str:
        text = self._everyday_requirement() if self._rng.random() < 0.5 else None
        if text is None:
            text = super().requirement()
            self._requirements += _parse_requirements(text)
            self.steps += 1
        return text

    def _everyday_requirement(self) -> str | None:
        """A requirement that fits the earlier ones; None if no attempt does."""
        for _ in range(_ATTEMPTS):
            attributes, params = list(self._attributes), dict(self.params)
            text = self._rng.choice((self._always, self._cascade, self._then))()
            requirements = [*self._requirements, *_parse_requirements(text)]
            written = _with_reference(tree.Program(tuple(requirements)), self._reference)
            program = check(written, text, self._schema, self.params)[0]
            self._attributes[:] = attributes
            if program is not None:
                self._requirements = requirements
                self._follow(with_key(program, self._key))
                return text
            self.params = params
        return None

    def _always(self) -> str:
        steps = [self._step(always=True) for _ in range(self._rng.choice((1, 1, 1, 2)))]
        return f"ALWAYS : {' THEN '.join(steps)};"

    def _cascade(self) -> str:
        """Generalize the records of violating classes, column by column."""
        columns = self._rng.sample(self._attributes, self._rng.randint(1, min(3, len(self._attributes))))
        keys = ", ".join(column.spelling for column in columns)
        assertion = f"EACH PROCESS COUNT(*) AS n GROUP BY {keys} : n >= {self._rng.randint(2, 4)}"
        steps = [self._generalize(self._rng.choice(columns)) for _ in range(self._rng.randint(1, 3))]
        end = self._rng.choice(([], ["REJECT"], [f"REPLACE {columns[0].spelling} WITH '*'"]))
        return f"{assertion} : {' THEN '.join(map(self._perhaps, [*steps, *end]))};"

    def _then(self) -> str:
        steps = [self._step() for _ in range(self._rng.choice((1, 2, 2, 3)))]
        return f"{self._assertion()} : {' THEN '.join(steps)};"

    def _step(self, *, always: bool = False) -> str:
        column = self._rng.choice(self._attributes)
        roll = self._rng.random()
        if roll < 0.4 and (Kind.TEXT in self._kinds or column.type.is_number):
            return self._perhaps(self._generalize(column))
        if always and roll < 0.5 and len(self._attributes) > 1:
            return f"DROP {column.spelling}"
        if roll < 0.7:
            writers = (self._pseudonym, self._shift, self._shift, self._add_random, self._microaggregate)
            written = self._rng.choice(writers)()
            if written is not None:
                return self._perhaps(written)
        actions = (self._replace, self._random, self._draw, self._draw, self._draw, self._reject)
        return self._perhaps(self._rng.choice(actions)().removeprefix(" : "))

    def _pseudonym(self) -> str | None:
        return f"PSEUDONYM {self._rng.choice(self._attributes).spelling}" if Kind.TEXT in self._kinds else None

    def _shift(self) -> str | None:
        """Mostly of dates; None if no column has any. A text that is not a date ends the run."""
        texts = (Kind.TEXT,) if self._rng.random() < 0.1 else ()
        shiftable = [each for each in self._attributes if _has_dates(each) or each.type.kind in texts]
        if not shiftable:
            return None
        columns = self._rng.sample(shiftable, self._rng.randint((len(shiftable) + 1) // 2, len(shiftable)))
        names = ", ".join(column.spelling for column in columns)
        days = self._constant(self._rng.choice((1, 30, 365, 3650)), INTEGER)
        return f"SHIFT {names} BY {self._rng.choice(self._attributes).spelling} WITHIN {days} DAYS"

    def _add_random(self) -> str | None:
        lower, upper = self._rng.choice(_LARGE_BOUNDS if self._rng.random() < 0.2 else _SMALL_BOUNDS)
        column = self._numbers()
        return None if column is None else f"ADD RANDOM {lower} {upper} TO {column.spelling}"

    def _microaggregate(self) -> str | None:
        column, size = self._numbers(), self._constant(self._rng.randint(2, 4), INTEGER)
        return None if column is None else f"MICROAGGREGATE {column.spelling} BY {size}"

    def _numbers(self) -> Attribute | None:
        columns = [each for each in self._attributes if each.type.is_number]
        return self._rng.choice(columns) if columns else None

    def _perhaps(self, step: str) -> str:
        """The step, sometimes with a probability (X5, probabilities)."""
        if self._rng.random() < 0.78:
            return step
        return f"WITH PROBABILITY {random_probability(self._rng)} {step}"

    def _draw(self) -> str:
        column = self._rng.choice(self._attributes)
        constants = [self._constant(*each) for each in self._outcomes(column)]
        weights = random_weights(self._rng, len(constants))
        values = (
            constant if weight == 1 else f"{weight} OF {constant}"
            for weight, constant in zip(weights, constants, strict=True)
        )
        return f"RANDOM {column.spelling} FROM ({', '.join(values)})"

    def _outcomes(self, column: Attribute) -> list[tuple[Value, Type]]:
        """Constants with their types. Some change the column's type (D12, retyping), some do not fit."""
        roll, count = self._rng.random(), self._rng.choice((1, 2, 2, 3, 4, 5))
        if roll < 0.15:
            return [(text, TEXT) for text in self._rng.sample(_WEIGHTED_TEXTS, count)]
        if roll < 0.3:
            scale = column.type.scale + self._rng.randint(0, 2)
            digits = self._rng.sample(range(-400, 400), count)
            return [(Decimal(each).scaleb(-scale), decimal(scale)) for each in digits]
        if roll < 0.4:
            many = range(self._rng.randint(9, 30))
            return [(each, INTEGER) if column.type.is_number else (f"{each}", TEXT) for each in many]
        values = [*column.pool, *(random_value(self._rng, column.type) for _ in range(count))]
        finite = (each for each in values if not isinstance(each, float) or math.isfinite(each))
        different = list(dict.fromkeys(finite)) or [0.0]
        chosen = self._rng.sample(different, min(count, len(different)))
        return [(value, column.type) for value in chosen]

    def _generalize(self, column: Attribute) -> str:
        return f"GENERALIZE {column.spelling} TO {self._map(column.type)}"

    def _map(self, type_: Type) -> str:
        if type_.is_number and (Kind.TEXT not in self._kinds or self._rng.random() < 0.35):
            return self._rng.choice((*_NEAREST, *_FINE_NEAREST) if Kind.DECIMAL in self._kinds else _NEAREST[:5])
        if self._rng.random() < 0.15:
            return f"PREFIX OF {self._rng.randint(1, 5)}"
        if self._rng.random() < 0.15:
            otherwise = self._rng.choice(("", " ELSE 'other'", " ELSE '*'"))
            return f"LEVEL {self._rng.randint(1, 3)} OF {_hierarchy()}{otherwise}"
        if type_.is_number or type_.numbers is not None:
            kind = type_.kind if type_.is_number else type_.numbers
            return self._rng.choice(_BANDS if kind is Kind.INTEGER else (*_BANDS, *_FINE_BANDS))
        if type_.kind in _DATE_KINDS or self._rng.random() < 0.1:
            return self._rng.choice(_DATE_UNITS)
        return f"PREFIX OF {self._rng.randint(1, 3)}"

    def _aggregates(self, groups: list[Attribute]) -> list[tuple[str, Attribute]]:
        """Sometimes a share (X13) or a total of a reference table (X14), sometimes two aggregates (X11)."""
        roll = self._rng.random()
        if self._reference and roll > 0.75:
            aggregates = [self._total()]
        else:
            aggregates = [self._share(groups)] if roll < 0.2 else super()._aggregates(groups)
        taken = {attribute.name.casefold() for attribute in (*groups, aggregates[0][1])}
        if self._rng.random() < 0.3 and "second" not in taken:
            column = self._rng.choice(self._attributes)
            second = Attribute("second", "second", INTEGER, list(range(5)))
            written = f"COUNT DISTINCT({column.spelling})"
            if self._rng.random() < 0.4:
                written, share = self._share(groups)
                second = replace(share, name="second", spelling="second")
            aggregates.append((written, second))
        return aggregates

    def _total(self) -> tuple[str, Attribute]:
        pool: list[Any] = [0, 0, 1, 2, 5, 7, Decimal("2.5"), 2**62]
        written = self._rng.choice(("COUNT(*)", "SUM(people)"))
        return f"{written} IN {literal(REFERENCE, TEXT)}", Attribute("total", "total", INTEGER, pool)

    def _share(self, groups: list[Attribute]) -> tuple[str, Attribute]:
        """The largest values of a column of numbers, or the most frequent value of any column."""
        column, largest = self._numbers(), self._rng.choice((0, 1, 1, 2, 2, 3, 20))
        if column is None or largest == 0:
            column, largest = self._rng.choice(self._attributes), 0
        name, spelling = self._alias(groups, column)
        values = [self._rng.choice(column.pool) for _ in range(self._rng.randint(1, 5))]
        share = share_of_largest(values, largest) if largest else share_of_mode(values)
        of = f"LARGEST {self._constant(largest, INTEGER)}" if largest else "MODE"
        near = EXACT.divide(Decimal(share.numerator), Decimal(share.denominator))
        pool = [at_scale(near, self._rng.choice((1, 2, 4, 20))), random_value(self._rng, SHARE)]
        return f"SHARE OF {of} ({column.spelling})", Attribute(
            name, spelling, SHARE, [*pool, Decimal("0.5"), Decimal(1)]
        )

    def _comparison(self, visible: list[Attribute]) -> str:
        if self._rng.random() < 0.75:
            return super()._comparison(visible)
        attribute = self._rng.choice(visible)
        negation = self._rng.choice(("", "", " NOT"))
        roll = self._rng.random()
        if roll < 0.3:
            return f"{attribute.spelling}{negation} IN ({', '.join(self._constants(attribute))})"
        if roll < 0.6:
            return f"{attribute.spelling}{negation} BETWEEN {' AND '.join(self._constants(attribute))}"
        prefix = str(self._near(attribute)).translate(_NO_WILDCARDS)[:2]
        if attribute.type.kind is Kind.TEXT and prefix and roll < 0.8:
            return f"{attribute.spelling}{negation} LIKE {literal(prefix + '%', attribute.type)}"
        sign, constant = self._rng.choice(("!=", "<>")), self._constant(self._near(attribute), attribute.type)
        return f"{attribute.spelling} {sign} {constant}"

    def _constants(self, attribute: Attribute) -> list[str]:
        return [self._constant(self._near(attribute), attribute.type) for _ in range(2)]

    def _follow(self, program: Program) -> None:
        """Update the columns and cuts after the new requirements."""
        for requirement in program.requirements[self.steps :]:
            self.cuts += outcome_cuts(requirement.action)
            attributes = (self._after(requirement, attribute) for attribute in self._attributes)
            self._attributes[:] = [attribute for attribute in attributes if attribute is not None]
        self.steps = len(program.requirements)

    def _after(self, requirement: Requirement, attribute: Attribute) -> Attribute | None:
        """The column after the requirement; None if it is dropped."""
        position = next(i for i, column in enumerate(self._schema) if column.name == attribute.name)
        type_ = requirement.after[position].type
        if type_.kind is Kind.DROPPED:
            return None
        pool = [convert(value, attribute.type, type_) for value in attribute.pool]
        write = write_of(requirement.action)
        if write is not None and position in write.columns:
            pool += write.kernel.examples(pool, type_)
        return replace(attribute, type=type_, pool=pool)


def _has_dates(attribute: Attribute) -> bool:
    if attribute.type.kind is Kind.TEXT:
        return all(map(is_iso_date, attribute.pool))
    return attribute.type.kind in _DATE_KINDS


def _parse_requirements(text: str) -> tuple[tree.Requirement, ...]:
    """Parse requirements; their spans refer to this text and mean nothing in the whole policy."""
    program, findings = parse_text(text)
    assert not findings, (text, findings)
    return program.requirements


@cache
def _hierarchy() -> str:
    """The path of a hierarchy of texts that occur in random tables, as a constant."""
    return literal(str(files(__package__).joinpath("words.csv")), TEXT)
