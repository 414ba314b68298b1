"""Random policies with related lines, like those of a curator: a WHERE and its complement, a column that
others determine, counts and sums of bounded numbers, checks that exclude each other's records.

Most of their claims depend on several lines, which tests the laws about known facts."""

import random
from collections.abc import Iterator

from acompass.language.program.types import INTEGER, TEXT, Column, Type
from tests.prove.policies import Claimed, random_coin

_TYPES: dict[str, Type] = {"Age": INTEGER, "Zip": TEXT, "Job": TEXT, "Pay": INTEGER}
_CONSTANTS = {"Age": ("0", "2", "3"), "Zip": ("'a'", "'b'"), "Job": ("'a'", "'c'"), "Pay": ("-1", "1", "2")}
_COUNTS = ("1", "2", "2", "3")
_SUMS = ("-2", "1", "2", "3", "4", "6")


class RelatedWriter:
    def __init__(self, rng: random.Random):
        self._rng = rng
        self._names = list(_TYPES)

    def policy(self) -> Claimed:
        lines = [line for _ in range(self._rng.randint(1, 3)) for line in self._lines()]
        schema = tuple(Column(name, type_) for name, type_ in _TYPES.items())
        claims = tuple(dict.fromkeys(self._claims(lines)))
        return Claimed("\n".join(f"{line};" for line in lines), schema, claims)

    def _lines(self) -> Iterator[str]:
        kinds = (self._halves, self._determined_column, self._bounded_numbers, self._single, self._star, self._single)
        yield from self._rng.choice(kinds)()

    def _halves(self) -> Iterator[str]:
        """The same requirement for the records that satisfy a condition and for the others."""
        condition, keys = self._comparison(), self._keys()
        aggregate, bound = self._aggregate()
        action = self._action()
        for where in (condition, f"NOT ({condition})"):
            yield f"EACH PROCESS {aggregate} AS c WHERE {where}{keys} : {bound}{action}"

    def _determined_column(self) -> Iterator[str]:
        """One column becomes a function of another."""
        column, other = self._rng.sample(self._names, 2)
        constants = _CONSTANTS[column]
        condition = self._comparison(other)
        for filter_, value in ((condition, constants[0]), (f"NOT ({condition})", constants[-1])):
            yield f"EACH FILTER {filter_} : {column} = {value} : REPLACE {column} WITH {value}"

    def _bounded_numbers(self) -> Iterator[str]:
        """A bound on numbers, and a bound on their count or sum."""
        number = self._rng.choice(("Age", "Pay"))
        value = self._rng.choice(_CONSTANTS[number])
        operator = self._rng.choice((">=", "<=", ">", "<"))
        replaced = f" : REPLACE {number} WITH {value}"
        yield f"EACH RESULT : {number} {operator} {value}{self._rng.choice((replaced, ' : REJECT', ''))}"
        counted = self._rng.choice((f"SUM({number}) AS c", "COUNT(*) AS c"))
        constant = self._rng.choice(_SUMS if counted.startswith("SUM") else _COUNTS)
        bound = f"c {self._rng.choice(('>=', '<=', '='))} {constant}"
        yield f"EACH PROCESS {counted}{self._keys()} : {bound}{self._action()}"

    def _star(self) -> Iterator[str]:
        """Small classes lose a value, and are rejected if they are still small."""
        first, second = self._rng.sample(("Zip", "Job"), 2)
        keys = f" GROUP BY {first}, {second}"
        yield f"EACH PROCESS COUNT(*) AS c{keys} : c >= 2 : REPLACE {first} WITH 'a'"
        where = self._rng.choice((f"{first} = 'a'", f"{first} = 'b'", f"{first} >= 'a'"))
        groups = self._rng.choice((keys, f" GROUP BY {first}", ""))
        yield f"EACH PROCESS COUNT(*) AS c WHERE {where}{groups} : c >= 2 : REJECT"

    def _single(self) -> Iterator[str]:
        quantifier = self._rng.choice(("EACH", "EACH", "SOME"))
        if self._rng.random() < 0.3:
            yield f"{quantifier} FILTER {self._comparison()} : {self._comparison()}{self._action()}"
            return
        aggregate, bound = self._aggregate()
        where = f" WHERE {self._comparison()}" if self._rng.random() < 0.3 else ""
        yield f"{quantifier} PROCESS {aggregate} AS c{where}{self._keys()} : {bound}{self._action()}"

    def _aggregate(self) -> tuple[str, str]:
        operator = self._rng.choice((">=", ">=", "<=", "="))
        number = self._rng.choice(("Age", "Pay"))
        name = self._rng.choice(self._names)
        function = self._rng.choice((f"SUM({number})", "COUNT(*)", "COUNT(*)", f"COUNT DISTINCT {name}", "M"))
        if function == "M":
            function = f"{self._rng.choice(('MIN', 'MAX'))}({name})"
            return function, f"c {operator} {self._rng.choice(_CONSTANTS[name])}"
        constant = self._rng.choice(_SUMS if function.startswith("SUM") else _COUNTS)
        return function, f"c {operator} {constant}"

    def _keys(self) -> str:
        groups = self._rng.sample(self._names, self._rng.randint(0, 3))
        return f" GROUP BY {', '.join(groups)}" if groups else ""

    def _comparison(self, name: str = "") -> str:
        name = name or self._rng.choice(self._names)
        return f"{name} {self._rng.choice(('=', '<=', '>'))} {self._rng.choice(_CONSTANTS[name])}"

    def _action(self) -> str:
        roll = self._rng.random()
        if roll < 0.35:
            return ""
        coin = random_coin(self._rng) if roll < 0.45 else ""
        if roll < 0.8:
            return f" : {coin}REJECT"
        name = self._rng.choice(self._names)
        if roll < 0.85:
            return f" : RANDOM {name} FROM ({', '.join(_CONSTANTS[name])})"
        return f" : {coin}REPLACE {name} WITH {self._rng.choice(_CONSTANTS[name])}"

    def _claims(self, lines: list[str]) -> Iterator[str]:
        for line in lines:
            claim = _without_action(line)
            yield claim
            head, where, tail = claim.partition(" WHERE ")
            if where:
                rest = tail.partition(" GROUP BY ")
                yield f"{head} GROUP BY {rest[2]}" if rest[1] else f"{head} : {tail.rpartition(' : ')[2]}"
        for _ in range(3):
            aggregate, bound = self._aggregate()
            yield f"EACH PROCESS {aggregate} AS c{self._keys()} : {bound}"
        yield f"EACH RESULT : {self._comparison()}"


def _without_action(line: str) -> str:
    for action in (" : REJECT", " : REPLACE", " : RANDOM", " : WITH"):
        line = line.partition(action)[0]
    return line
