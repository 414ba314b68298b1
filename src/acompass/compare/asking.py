"""Questions about two runs of one policy, under assumptions about the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acompass.compare.answer import Difference, Written
from acompass.compare.guarantees import Given
from acompass.compare.pairs import Pair, Source, typed_pairs
from acompass.prove.assumptions import assumed_requirements, parse_assumptions, with_first
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Instead


@dataclass(frozen=True, slots=True)
class Asking:
    """A policy and what it is asked with; `assume` are assertions that are known of the table before it."""

    source: Source
    given: Given
    assume: Sequence[str] = ()

    def pairs(self, other: Source) -> list[Pair]:
        """The policy and the other one, which is made of the same lines."""
        given, beside = self.given, [each.program() for each in parse_assumptions(self.assume)]
        return typed_pairs(self.source, other, given.schema, given.params, given.types, beside)[1]

    def after_assumptions(self, pair: Pair) -> Pair:
        """Both policies after the same checks: where one of these fails, neither writes anything."""
        assumed = parse_assumptions(self.assume)
        old, new = (
            with_first(program, assumed_requirements(assumed, program.schema, self.given.params))
            for program in pair.programs
        )
        return replace(pair, old=old, new=new)


def undecided(reason: str) -> Claim:
    return Claim("", None, ClaimVerdict.UNDECIDED, reason)


def proved(reason: str) -> Claim:
    return Claim("", None, ClaimVerdict.PROVED, reason)


def refuted(reason: str, counterexample: Counterexample) -> Claim:
    size = len(counterexample.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    return Claim("", None, ClaimVerdict.REFUTED, f"{found}\n{reason}" if reason else found, counterexample)


def undecided_between_runs() -> Claim:
    return undecided("no proof was found, and no table on which the two runs differ")


def between_runs(difference: Difference, title: str) -> Counterexample:
    """`title` names what the second run leaves."""
    old, new = difference.old or Written((), ()), difference.new
    instead = Instead(title, (), None) if new is None else Instead(title, new.schema, new.records)
    return Counterexample(
        difference.schema, difference.records, difference.trace, old.schema, old.records, instead
    )
