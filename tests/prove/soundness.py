"""The law of soundness: proved claims hold for the outputs of random tables, and counterexamples replay.

Nothing is written if a check fails (D31), if a map has no label for a value (X2), or if a value cannot be written
(X16, X17). The claim of a check assumes only the checks before it. Every run has another key.

python -m tests.prove.soundness --policies 20000 --tables 1000
python -m tests.prove.soundness --kind published --policies 5000 --tables 200

Prints progress to standard error."""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TypeAlias

from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.keys import SHORTEST_KEY, Key
from acompass.language.program.program import Assertion, Program
from acompass.language.program.types import INTEGER, TEXT, Column, Schema, decimal
from acompass.language.text.parser import parse_text
from acompass.language.text.walk import parameter_names
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.prove.search.claims import policy_assertions
from acompass.prove.search.verdicts import prove_policy
from acompass.semantics.core import Record, holds
from acompass.testing.conformance.cases import Case, random_case
from tests.generators.strategies import parse_and_check
from tests.prove.everyday_policies import EverydayCurator, everyday_records
from tests.prove.policies import Claimed, Writer, random_records, random_trace
from tests.prove.published_policies import PublishedCurator, published_records
from tests.prove.related_policies import RelatedWriter
from tests.prove.replaying import fails, is_written, run_or_none

#: number of tables of one schema, if scales vary
_TABLES_OF_A_SCHEMA = 20
#: number of policies that share a seed
_SHARE = 250


#: random records of a schema
Tables: TypeAlias = Callable[[random.Random, Schema], list[Record]]


@dataclass
class Figures:
    policies: int = 0
    tables: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def decided_share(self) -> float:
        return 1 - self.verdicts[ClaimVerdict.UNDECIDED] / max(1, self.verdicts.total())

    def add(self, other: "Figures") -> None:
        self.policies += other.policies
        self.tables += other.tables
        self.verdicts += other.verdicts
        self.undecided += other.undecided
        self.broken += other.broken

    def __str__(self) -> str:
        verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in self.verdicts.most_common())
        counts = f"{self.policies:,} policies, {self.tables:,} tables: {verdicts}"
        return f"{counts}; broken: {len(self.broken):,}"

    def count(self, proof: Proof) -> None:
        self.policies += 1
        self.verdicts.update(str(claim.verdict) for claim in proof.claims)
        doubts = (claim.reason for claim in proof.claims if claim.verdict is ClaimVerdict.UNDECIDED)
        self.undecided.update(doubt.partition(": ")[2] or doubt for doubt in doubts)


def curators_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `policies` on tables from the same module."""
    _test(rng, Writer(rng).policy(), random_records, tables, figures)


def related_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `related_policies`."""
    _test(rng, RelatedWriter(rng).policy(), random_records, tables, figures)


def everyday_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `everyday_policies` on tables from the same module."""
    case = EverydayCurator(rng).policy()
    while not case.claims:
        case = EverydayCurator(rng).policy()
    _test(rng, case, everyday_records, tables, figures)


def published_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `published_policies` on tables from the same module."""
    case = PublishedCurator(rng).policy()
    while not case.claims:
        case = PublishedCurator(rng).policy()
    _test(rng, case, published_records, tables, figures)


def _test(rng: random.Random, case: Claimed, tables_of: Tables, tables: int, figures: Figures) -> None:
    types = {column.name: column.type for column in case.schema}
    proof = prove_policy(parse_text(case.text)[0], case.text, case.claims, types)
    figures.count(proof)
    for claim in proof.claims:
        if claim.counterexample is not None and not fails(
            parse_text(case.text)[0], case.text, claim.text, claim.counterexample
        ):
            figures.broken.append(f"{case.text}\n{claim.text}\nthe counterexample does not replay")
    proved = [claim for claim in proof.claims if claim.verdict is ClaimVerdict.PROVED]
    if proved:
        program = parse_and_check(case.text, case.schema)
        _survive(rng, program, proved, tables_of, tables, figures, case.text)


def _survive(
    rng: random.Random,
    program: Program,
    proved: list[Claim],
    tables_of: Tables,
    tables: int,
    figures: Figures,
    policy: str,
) -> None:
    final = program.final_schema
    assertions = [parse_and_check(claim.text + ";", final).requirements[0].assertion for claim in proved]
    for _ in range(tables):
        records = tables_of(rng, program.schema)
        trace = random_trace(rng, 2 * len(records) * len(program.requirements))
        outcome = run_or_none(program, records, trace, Key(rng.randbytes(SHORTEST_KEY)))
        if outcome is None or not is_written(program, outcome):
            continue
        figures.tables += 1
        for claim, assertion in zip(proved, assertions, strict=True):
            if not holds(outcome.records, assertion):
                figures.broken.append(f"{policy}\n{claim.text}\nproved, but fails on {records} with {trace}")


def untyped_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `policies` without types, on tables with numbers of several scales."""
    case = Writer(rng).policy()
    proof = prove_policy(parse_text(case.text)[0], case.text, case.claims)
    figures.count(proof)
    proved = [claim for claim in proof.claims if claim.verdict is ClaimVerdict.PROVED]
    for _ in range(tables // _TABLES_OF_A_SCHEMA if proved else 0):
        schema = tuple(_scale_column(rng, column, proof) for column in case.schema)
        program = parse_and_check(case.text, schema)
        shown = f"{case.text}\n{schema}"
        _survive(rng, program, proved, random_records, _TABLES_OF_A_SCHEMA, figures, shown)


def _scale_column(rng: random.Random, column: Column, proof: Proof) -> Column:
    """Give a number of unknown type one of several scales."""
    if column.type is TEXT or proof.types.get(column.name) == "integer":
        return column
    return Column(column.name, rng.choice((INTEGER, decimal(1), decimal(2))))


def conformance_policy(rng: random.Random, tables: int, figures: Figures) -> None:
    """Test one policy of `conform`'s generator, which covers all types, on tables of the same values."""
    case = random_case(rng)
    proof = _prove(case.policy_text, case.schema, case.params)
    figures.count(proof)
    program = case.program()
    proved = [
        (at, _check_claim(claim, program, case.params))
        for (at, _), claim in zip(policy_assertions(parse_text(case.policy_text)[0]), proof.claims, strict=True)
        if claim.verdict is ClaimVerdict.PROVED
    ]
    for _ in range(tables if proved and case.records else 0):
        records = _shuffle_values(rng, case)
        outcome = run_or_none(program, records, case.trace * 2, Key(rng.randbytes(SHORTEST_KEY)))
        if outcome is None:
            continue
        figures.tables += 1
        for at, assertion in proved:
            before = at if program.requirements[at].action is None else None
            if is_written(program, outcome, before) and not holds(outcome.records, assertion):
                figures.broken.append(f"{case.policy_text}\n{assertion}\n{records}")


def _check_claim(claim: Claim, program: Program, params: dict[str, ParamValue]) -> Assertion:
    """The claim, checked against the columns of the policy's output."""
    tree, _ = parse_text(claim.text + ";")
    used = {name: value for name, value in params.items() if name in parameter_names(tree)}
    found, problems = check(tree, claim.text + ";", program.final_schema, used)
    assert found is not None, problems
    return found.requirements[0].assertion


def _shuffle_values(rng: random.Random, case: Case) -> list[tuple[object, ...]]:
    """Records with values from the case's columns, up to twice as many as the case has."""
    columns = list(zip(*case.records, strict=True))
    size = rng.randint(0, 2 * len(case.records))
    return [tuple(rng.choice(column) for column in columns) for _ in range(size)]


def _prove(text: str, schema: Schema, params: dict[str, ParamValue]) -> Proof:
    return prove_policy(parse_text(text)[0], text, None, {column.name: column.type for column in schema}, params)


_KINDS = (conformance_policy, curators_policy, everyday_policy, untyped_policy, related_policy, published_policy)


def campaign(seed: int, policies: int, tables: int, kind: str = "") -> Figures:
    """`kind` is the beginning of a function's name; by default, all kinds take turns."""
    rng = random.Random(seed)
    figures = Figures()
    kinds = [each for each in _KINDS if each.__name__.startswith(kind)]
    for at in range(policies):
        kinds[at % len(kinds)](rng, tables, figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=20_000)
    parser.add_argument("--tables", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    parser.add_argument("--kind", default="", help="only policies of this kind, such as `published`")
    arguments = parser.parse_args()
    figures = Figures()
    settings = arguments.tables, arguments.kind
    starts = range(0, arguments.policies, _SHARE)
    with ProcessPoolExecutor(arguments.workers) as pool:
        shares = [
            pool.submit(campaign, arguments.seed + at, min(_SHARE, arguments.policies - start), *settings)
            for at, start in enumerate(starts)
        ]
        for share in as_completed(shares):
            figures.add(share.result())
            print(figures, file=sys.stderr)
    print(figures)
    for case in figures.broken[:5]:
        print(f"\n{case}")
    sys.exit(1 if figures.broken else 0)


if __name__ == "__main__":
    main()
