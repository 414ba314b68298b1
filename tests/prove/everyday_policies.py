"""Random policies of the everyday language (X1 to X6, X10, X11), with claims that are true or nearly true.

They have few values and coarse maps, so that values often get the same label and cascades end early."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib.resources import files

from acompass.language.program.checker import check
from acompass.language.program.program import Program
from acompass.language.program.types import FLOAT, INTEGER, TEXT, Column, Kind, Schema, Type, Value, decimal
from acompass.language.text.parser import parse_text
from acompass.testing import conformance
from tests.programs import quote
from tests.prove.policies import Claimed, random_coin, random_urn

_INTEGERS = (-1, 0, 1, 2, 3, 4, 5)
_WORDS = ("a", "b", "ab", "A", "0", "1", "*", "x", "abc", "abd")
_DAYS = ("2018-03-05", "2018-03-17", "2018-05-01", "2019-01-31", "2018-03", "2018-Q1", "2019", "2010s", "*")
#: without `-0.0`, which becomes `0.0` when a column that a policy names is loaded
_FLOATS = (-0.5, 0.0, 0.5, 1.0, 2.5)
_TYPES: dict[str, Type] = {
    "Age": INTEGER,
    "Pay": INTEGER,
    "Zip": TEXT,
    "Job": TEXT,
    "Day": TEXT,
    "Weight": FLOAT,
}
_POOLS: dict[str, Sequence[Value]] = {
    "Age": _INTEGERS,
    "Pay": _INTEGERS,
    "Zip": _WORDS,
    "Job": _WORDS,
    "Day": _DAYS,
    "Weight": _FLOATS,
}
_BANDS = (
    *("BANDS OF 1", "BANDS OF 2", "BANDS OF 4", "BANDS OF 2 FROM 0 UP TO 4", "BANDS OF 2 UP TO 4"),
    *("BANDS OF 4 FROM 0", "BANDS AT 0, 2", "BANDS AT 2", "BANDS OF 1 UP TO 2"),
)
_LABELS: dict[str, Sequence[str]] = {
    "Age": ("0-1", "2-3", "0-3", "4+", "<0", "<2", "2+", "0", "1", "-2 to -1", "4-5", "*"),
    "Zip": ("a", "a*", "ab*", "A", "*", "a or b", "A to Z", "letter", "digit", "other"),
    "Day": ("2018-03", "2018-Q1", "2018", "2019", "2010s", "*"),
    "Weight": ("[0,1)", "[0,2)", "<0", "2+", "[0.0,0.5)", "*"),
}
_LABELS |= {"Pay": _LABELS["Age"], "Job": _LABELS["Zip"]}
_ATTEMPTS = 4


class EverydayCurator:
    def __init__(self, rng: random.Random):
        self._rng = rng
        self._names = rng.sample(list(_TYPES), rng.randint(2, 4))
        self._texts: list[str] = []

    def policy(self) -> Claimed:
        types = {name: self._type(name) for name in self._names}
        schema = tuple(Column(name, type_) for name, type_ in types.items())
        self._texts = []
        for _ in range(self._rng.randint(1, 5)):
            self._texts += self._fitting(schema)
        text = "\n".join(self._texts)
        program = _check(text, schema)
        claims = () if program is None else tuple(self._claims(program))
        return Claimed(text, schema, claims)

    def _type(self, name: str) -> Type:
        return decimal(1) if name == "Pay" and self._rng.random() < 0.2 else _TYPES[name]

    def _fitting(self, schema: Schema) -> list[str]:
        """A requirement that can follow the earlier ones, or none."""
        for _ in range(_ATTEMPTS):
            text = self._requirement()
            program = _check("\n".join([*self._texts, text]), schema)
            if program is not None and self._is_sensible(program):
                return [text]
        return []

    def _is_sensible(self, program: Program) -> bool:
        """Whether the last requirement can do something."""
        return True

    def _requirement(self) -> str:
        roll = self._rng.random()
        if roll < 0.35:
            return f"ALWAYS : {self._steps(1, always=True)};"
        if roll < 0.5:
            return f"{self._assertion()} : REJECT;"
        if roll < 0.6:
            return f"{self._assertion()};"
        return f"{self._assertion()} : {self._steps(self._rng.randint(1, 3))};"

    def _steps(self, number: int, always: bool = False) -> str:
        steps = [self._step(always) for _ in range(number)]
        return " THEN ".join([*steps, *(["REJECT"] if not always and self._rng.random() < 0.4 else [])])

    def _step(self, always: bool) -> str:
        roll = self._rng.random()
        if roll < 0.06 and always:
            return f"DROP {self._rng.choice(self._names)}"
        coin = random_coin(self._rng) if self._rng.random() < 0.2 else ""
        return f"{coin}REJECT" if coin and self._rng.random() < 0.4 else f"{coin}{self._write()}"

    def _write(self) -> str:
        name = self._rng.choice(self._names)
        roll = self._rng.random()
        if roll < 0.65:
            return f"GENERALIZE {name} TO {self._map(name)}"
        if roll < 0.8:
            constants = self._rng.choice((self._constant, self._label))
            return f"RANDOM {name} FROM {random_urn(self._rng, sorted({constants(name) for _ in range(4)}))}"
        if roll < 0.85 and name in ("Age", "Pay", "Zip"):
            return f"RANDOM {name} {self._rng.choice(('0 1', '2 2', '1 4'))}"
        return f"REPLACE {name} WITH {self._rng.choice((self._constant(name), self._label(name), _STAR))}"

    def _map(self, name: str) -> str:
        if self._rng.random() < 0.1:
            return f"PREFIX OF {self._rng.randint(1, 3)}"
        match name:
            case "Zip" | "Job" if self._rng.random() < 0.5:
                return f"PREFIX OF {self._rng.randint(1, 3)}"
            case "Zip" | "Job":
                otherwise = self._rng.choice(("", " ELSE 'other'"))
                return f"LEVEL {self._rng.randint(1, 3)} OF {_hierarchy()}{otherwise}"
            case "Day":
                return self._rng.choice(("MONTH", "QUARTER", "YEAR", "DECADE"))
            case "Weight":
                return self._rng.choice((*_BANDS, "BANDS OF 0.5", "BANDS AT 0.5, 2.5"))
            case _:
                return self._rng.choice(_BANDS)

    def _assertion(self) -> str:
        quantifier = "SOME" if self._rng.random() < 0.07 else "EACH"
        if self._rng.random() < 0.35:
            result = f"FILTER {self._condition()}" if self._rng.random() < 0.4 else "RESULT"
            return f"{quantifier} {result} : {self._condition()}"
        groups = self._rng.sample(self._names, self._rng.randint(0, len(self._names)))
        where = f" WHERE {self._condition()}" if self._rng.random() < 0.2 else ""
        keys = f" GROUP BY {', '.join(groups)}" if groups else ""
        aggregates, bounds = zip(*self._aggregates(), strict=True)
        joined = self._rng.choice((" AND ", " AND ", " OR ")).join(bounds)
        excused = f"{self._condition(groups)} OR " if groups and self._rng.random() < 0.15 else ""
        return f"{quantifier} PROCESS {', '.join(aggregates)}{where}{keys} : {excused}({joined})"

    def _aggregates(self) -> Iterator[tuple[str, str]]:
        """Aggregates, each with a bound."""
        for alias in self._rng.choice((("n",), ("n",), ("n", "d"))):
            name = self._rng.choice(self._names)
            counts = ("COUNT(*)", "COUNT(*)", f"COUNT DISTINCT({name})")
            function = self._rng.choice((*counts, f"MIN({name})", f"MAX({name})"))
            operator = self._rng.choice((">=", ">=", ">", "<=", "="))
            is_value = function.startswith("M")
            constant = self._any_constant(name) if is_value else str(self._rng.choice((1, 2, 2, 3, 4)))
            yield f"{function} AS {alias}", f"{alias} {operator} {constant}"

    def _condition(self, names: Sequence[str] = ()) -> str:
        parts = [self._comparison(self._rng.choice(names or self._names)) for _ in range(self._rng.choice((1, 1, 2)))]
        return self._rng.choice((" AND ", " OR ")).join(parts)

    def _comparison(self, name: str) -> str:
        negation = self._rng.choice(("", "", " NOT"))
        constants = [self._any_constant(name) for _ in range(self._rng.randint(1, 4))]
        roll = self._rng.random()
        if roll < 0.35:
            return f"{name}{negation} IN ({', '.join(constants)})"
        if roll < 0.45:
            return f"{name}{negation} BETWEEN {constants[0]} AND {constants[-1]}"
        if roll < 0.55:
            prefix = self._label(name).strip("'")[:2]
            return f"{name}{negation} LIKE '{prefix}%'"
        return f"{name} {self._rng.choice(('=', '<>', '>=', '<', '<=', '>'))} {constants[0]}"

    def _any_constant(self, name: str) -> str:
        return self._rng.choice((self._constant, self._label))(name)

    def _constant(self, name: str) -> str:
        value = self._rng.choice(_POOLS[name])
        return f"'{value}'" if isinstance(value, str) else f"{value}"

    def _label(self, name: str) -> str:
        return f"'{self._rng.choice(_LABELS[name])}'"

    def _claims(self, program: Program) -> Iterator[str]:
        """Assertions of the policy and others, if they fit the columns of its output."""
        final = program.final_schema
        own = [_ACTION.split(text)[0] for text in self._texts]
        asked = [text.removesuffix(";") for text in own if not text.startswith("ALWAYS")]
        asked += [self._assertion() for _ in range(3)]
        asked += [f"EACH RESULT : {name} IN ({', '.join(self._all_labels(name))})" for name in self._names]
        for claim in dict.fromkeys(asked):
            checked = _check(f"{claim};", final)
            if checked is not None and self._is_sensible(
                replace(program, requirements=(*program.requirements, *checked.requirements))
            ):
                yield claim

    def _all_labels(self, name: str) -> list[str]:
        labels = _LABELS[name]
        return [f"'{label}'" for label in self._rng.sample(labels, self._rng.randint(3, len(labels)))]


_STAR = "'*'"
#: where the assertion of a requirement ends
_ACTION = re.compile(" : (?:REJECT|REPLACE|RANDOM|GENERALIZE|WITH|PSEUDONYM|SHIFT|ADD|MICROAGGREGATE) ?")


def _check(text: str, schema: Schema) -> Program | None:
    tree, problems = parse_text(text)
    assert not problems, (text, problems)
    return check(tree, text, schema)[0] if tree.requirements else None


@cache
def _hierarchy() -> str:
    return quote(files(conformance).joinpath("words.csv"))


def everyday_records(rng: random.Random, schema: Schema) -> list[tuple[Value, ...]]:
    """Up to twelve records with at most four values in each column."""
    narrow = []
    for column in schema:
        pool = _POOLS[column.name]
        narrow.append([_as(value, column.type) for value in rng.sample(pool, rng.randint(1, 4))])
    return [tuple(rng.choice(pool) for pool in narrow) for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 6, 9, 12)))]


def _as(value: Value, type_: Type) -> Value:
    """An integer n becomes the decimal n / 2."""
    return Decimal(5 * int(value)).scaleb(-1) if type_.kind is Kind.DECIMAL else value  # type: ignore[arg-type]
