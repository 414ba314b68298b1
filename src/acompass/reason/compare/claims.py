"""Prove claims about a policy as a whole: `idempotent`, `order of 3, 5`, `Age unchanged`.

The first two compare two policies: the policy run once and twice, or with two lines exchanged. The third follows one
column through the policy."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError
from acompass.errors.diagnostics import Source as Lines
from acompass.language.program.checker import check
from acompass.language.program.program import Program
from acompass.language.program.types import Names, Schema, Value
from acompass.language.text.tree import place_of
from acompass.language.text.walk import names_dropped, parameter_names, step_of, steps
from acompass.policy import Policy
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Exhausted, Instead, Proof, recursion_limit
from acompass.prove.refute.replay import Record, Witness, replay
from acompass.prove.search.claims import assumed_requirements, check_steps, parse_assumptions, prepend_requirements
from acompass.prove.search.verdicts import ProvedClaim, decimal_text, prove_policy
from acompass.reason.compare.answer import Difference, WrittenTable
from acompass.reason.compare.counterexamples import Examples, Hint, Search, Trace, replay_program
from acompass.reason.compare.equivalence import overall_equivalence, undecided_reason
from acompass.reason.compare.pairs import Inputs, Pair, typed_pairs
from acompass.reason.compare.symbols import Constant, Derived, Expression, Labelling, Symbolic, Symbols, written_form
from acompass.reason.privacy.mentions import Undecided

_IDEMPOTENT = re.compile(r"idempotent", re.IGNORECASE)
_ORDER = re.compile(r"order\s+of\s+([0-9]+)\s*(?:,|and)\s*([0-9]+)", re.IGNORECASE)
_UNCHANGED = re.compile(r"(\S.*)\s+unchanged", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Idempotent:
    """A second run changes nothing."""


@dataclass(frozen=True, slots=True)
class OrderOf:
    """The requirements at two lines can be exchanged."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """No value of the column is changed."""

    column: str


PolicyClaim: TypeAlias = Idempotent | OrderOf | Unchanged


def read_claim(text: str) -> PolicyClaim | None:
    """None for any other claim, such as an assertion."""
    stripped = " ".join(text.removesuffix(";").split())
    if _IDEMPOTENT.fullmatch(stripped):
        return Idempotent()
    if order := _ORDER.fullmatch(stripped):
        return OrderOf(int(order[1]), int(order[2]))
    if column := _UNCHANGED.fullmatch(stripped):
        return Unchanged(column[1].strip('"'))
    return None


@dataclass(frozen=True, slots=True)
class PolicyQuestion:
    policy: Policy
    given: Inputs
    assume: Sequence[str] = ()  # assertions that hold for the table before the policy

    def pairs(self, other: Policy) -> list[Pair]:
        """The policy and another one that consists of the same lines."""
        given, assumed = self.given, [each.program() for each in parse_assumptions(self.assume, self.policy.tree)]
        return typed_pairs(self.policy, other, given.schema, given.params, given.types, assumed)[1]

    def after_assumptions(self, pair: Pair) -> Pair:
        """Both policies after the assumptions as checks: if one fails, neither policy writes anything."""
        assumed = parse_assumptions(self.assume, self.policy.tree)
        old, new = (
            prepend_requirements(program, assumed_requirements(assumed, program.schema, self.given.params))
            for program in pair.programs
        )
        return replace(pair, old=old, new=new)


def prove_claims(
    asking: PolicyQuestion, claims: Sequence[str] | None, on_proof: Callable[[ProvedClaim], None] | None = None
) -> Proof:
    """Prove claims in order, whether they are assertions or about the whole policy. `on_proof` is called with each
    assertion that is proved."""
    policy, given = asking.policy, asking.given
    assertions = None if claims is None else [text for text in claims if read_claim(text) is None]
    asked = (policy.tree, policy.text, assertions, given.schema, given.params, given.types)
    proof = prove_policy(*asked, assume=asking.assume, deadline=None, on_proof=on_proof)
    proved = iter(proof.claims)
    found = []
    for text in claims or ():
        claim = read_claim(text)
        found.append(next(proved) if claim is None else replace(_prove_claim(claim, asking), text=text.strip()))
    return replace(proof, claims=(*found, *proved))


def _prove_claim(claim: PolicyClaim, asking: PolicyQuestion) -> Claim:
    match claim:
        case Idempotent():
            return prove_idempotent(asking)
        case OrderOf(first, second):
            return prove_exchangeable(asking, first, second)
        case Unchanged(column):
            return prove_unchanged(asking, column)
        case _:
            assert_never(claim)


def prove_idempotent(asking: PolicyQuestion) -> Claim:
    """Compare the policy run once with the policy run twice."""
    pairs = asking.pairs(asking.policy)
    try:
        twice = [replace(pair, new=_append_second_run(asking, pair.new)) for pair in pairs]
    except PolicyError as error:
        return undecided_claim(f"the policy cannot be run on its own output: {error.diagnostics[0].message}")
    return _claim_by_equivalence(asking, twice, "no line changes anything in a second run", "after a second run")


def _append_second_run(asking: PolicyQuestion, program: Program) -> Program:
    """The second run has only the remaining columns, so it leaves out lines that drop columns (D32, idempotence)."""
    lines = tuple(each for each in steps(asking.policy.tree) if not any(names_dropped(step_of(each))))
    again = replace(asking.policy.tree, requirements=lines)
    used = parameter_names(again)
    own = {name: value for name, value in asking.given.params.items() if name in used}
    second, problems = check(again, asking.policy.text, program.final_schema, own)
    if second is None:
        raise PolicyError(problems, asking.policy.text)
    return replace(program, requirements=(*program.requirements, *second.requirements))


def _claim_by_equivalence(asking: PolicyQuestion, pairs: Sequence[Pair], proof: str, title: str) -> Claim:
    """`proof` is the reason to give if the pairs are equivalent, `title` the title of the second run's output."""
    found = overall_equivalence([asking.after_assumptions(pair) for pair in pairs])
    if found.difference is not None:
        return refuted_claim("", difference_counterexample(found.difference, title))
    if found.is_equivalent:
        return proved_claim(proof)
    return undecided_claim("no proof was found, and no table on which the two runs differ")


def undecided_claim(reason: str) -> Claim:
    return Claim("", None, ClaimVerdict.UNDECIDED, reason)


def proved_claim(reason: str) -> Claim:
    return Claim("", None, ClaimVerdict.PROVED, reason)


def refuted_claim(reason: str, counterexample: Counterexample) -> Claim:
    size = len(counterexample.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    return Claim("", None, ClaimVerdict.REFUTED, f"{found}\n{reason}" if reason else found, counterexample)


def difference_counterexample(difference: Difference, title: str) -> Counterexample:
    """`title` names the output of the second run."""
    old, new = difference.old or WrittenTable((), ()), difference.new
    instead = Instead(title, (), None) if new is None else Instead(title, new.schema, new.records)
    return Counterexample(difference.schema, difference.records, difference.trace, old.schema, old.records, instead)


def prove_exchangeable(asking: PolicyQuestion, first: int, second: int) -> Claim:
    """Compare the policy with the same policy after two lines are exchanged."""
    lines, requirements = _requirements_by_line(asking.policy), list(asking.policy.tree.requirements)
    one, other = _requirement_at(lines, first), _requirement_at(lines, second)
    requirements[one], requirements[other] = requirements[other], requirements[one]
    exchanged = replace(asking.policy.tree, requirements=tuple(requirements))
    try:
        pairs = asking.pairs(replace(asking.policy, tree=exchanged))
    except PolicyError as error:
        return undecided_claim(f"with the lines exchanged, the policy is not valid: {error.diagnostics[0].message}")
    proof = "in either order, the lines turn every table into the same output"
    return _claim_by_equivalence(asking, pairs, proof, "after the lines are exchanged")


def _requirements_by_line(policy: Policy) -> dict[int, int]:
    """For each line on which a requirement begins, the requirement's position; a THEN belongs to its assertion."""
    lines, found = Lines(policy.text), dict[int, int]()
    for at, requirement in enumerate(policy.tree.requirements):
        place = place_of(requirement.span)
        if place is not None:
            found.setdefault(lines.position(place.start)[0], at)
    return found


def _requirement_at(lines: dict[int, int], line: int) -> int:
    if line in lines:
        return lines[line]
    listed = ", ".join(map(str, lines))
    message, help_ = f"no requirement begins at line {line}", f"lines with a requirement: {listed}"
    raise CallError([Diagnostic("AC561", message, help=help_)])


#: the reason to give if neither a proof nor a table was found
NOT_CHANGED = "no table was found on which it does"


def prove_unchanged(asking: PolicyQuestion, name: str) -> Claim:
    pairs = [asking.after_assumptions(pair) for pair in asking.pairs(asking.policy)]
    claims = [_UnchangedQuestion(pair, _column_position(pair.schema, name)).answer() for pair in pairs]
    worst = (ClaimVerdict.REFUTED, ClaimVerdict.UNDECIDED, ClaimVerdict.PROVED)
    return min(claims, key=lambda claim: worst.index(claim.verdict))


def _column_position(schema: Schema, name: str) -> int:
    names = Names([column.name for column in schema])
    match names.find(name):
        case (position,):
            return position
        case _:
            help_ = f"columns: {names.listing()}"
            raise CallError([Diagnostic("AC562", f"a claim names the unknown column `{name}`", help=help_)])


class _UnchangedQuestion:
    """Whether a policy changes a column. Both policies of the pair are the same."""

    def __init__(self, pair: Pair, column: int):
        self._pair = pair
        self._column = column
        self._program = pair.old

    def answer(self) -> Claim:
        try:
            with recursion_limit():
                symbols = Symbols(self._pair.programs)
                changed = self._changed_records(symbols)
        except (Undecided, Exhausted) as open_question:
            return self._search((), undecided_reason(open_question))
        if changed is EMPTY:
            return proved_claim("no line changes a value of the column")
        return self._search(Examples(symbols, self._pair).hints(changed), "a line over classes may change it")

    def _changed_records(self, symbols: Symbols) -> Diagram:
        """The records whose value can differ at the end."""
        symbolic, diagrams = Symbolic(symbols), symbols.diagrams
        state = symbolic.end(self._program)
        live = symbolic.live(state)
        return diagrams.union_of(
            diagrams.intersection(live, diagrams.intersection(records, self._differing(symbols, expression)))
            for expression, records in state.columns[self._column].items()
        )

    def _differing(self, symbols: Symbols, expression: Expression) -> Diagram:
        """The records for which the expression may be written differently from the input value."""
        match expression:
            case Derived(variable, steps) if variable == self._column:
                if not any(isinstance(step, Labelling) for step in steps):
                    return EMPTY
                return self._where(symbols, lambda kind: symbols.samples(expression, kind))
            case Derived():
                return ALL
            case Constant(value):
                return self._where(symbols, lambda _: (value,))
            case _:
                assert_never(expression)

    def _where(self, symbols: Symbols, becomes: Callable[[int], Sequence[Value | None]]) -> Diagram:
        """The kinds with several values, or with one value that becomes another."""
        mask = 0
        for kind, alike in enumerate(symbols.kinds[self._column]):
            is_same = len(alike) == 1 and self._output_forms(becomes(kind)) == self._input_forms(alike)
            mask |= (not is_same) << kind
        return symbols.diagrams.literal(self._column, mask)

    def _input_forms(self, values: Iterable[Value | None]) -> list[object]:
        return [written_form(value, self._program.schema[self._column].type) for value in values]

    def _output_forms(self, values: Iterable[Value | None]) -> list[object]:
        return [written_form(value, self._program.final_schema[self._column].type) for value in values]

    def _search(self, hints: Sequence[Hint], reason: str) -> Claim:
        try:
            with recursion_limit():
                found = Search(self._pair, hints).find(self._changing_trace)
        except Exhausted as exhausted:
            return undecided_claim(str(exhausted))
        if found is None:
            return undecided_claim(f"{reason}\n{NOT_CHANGED}")
        run = replay_program(self._program, found.records, found.trace).written
        assert run is not None, "a change shows in the output"
        trace = tuple(decimal_text(rho) for rho in found.trace)
        example = Counterexample(self._program.schema, found.records, trace, run.schema, run.records)
        return refuted_claim(f"line {self._line(found)} changes it", example)

    def _changing_trace(self, _: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
        """The part of the trace that the run consumes, if some value occurs more often in its output than in its
        input; else None."""
        witness = replay(self._program, records, trace)
        if witness is None or witness.violated & check_steps(self._program):
            return None
        before = Counter(self._input_forms(record[self._column] for record in records))
        after = Counter(self._output_forms(record[self._column] for record in witness.left))
        return witness.trace if after - before else None

    def _line(self, found: Witness) -> int:
        """The first line that changes a value."""
        lines = self._program.requirements
        for count, requirement in enumerate(lines, start=1):
            part = replace(self._program, requirements=lines[:count])
            question = _UnchangedQuestion(replace(self._pair, old=part), self._column)
            if question._changing_trace(self._pair, found.records, found.trace) is not None:
                return requirement.line
        raise AssertionError("the last line is among them")
