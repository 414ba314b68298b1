"""The decision procedure for claims about records, extracted from the theory, and the verdicts of `prove`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from acompass.language.program.program import Program
from acompass.language.program.types import Kind, Type
from acompass.language.text.parser import parse_text
from acompass.prove.diagrams.cuts import maps_by_step
from acompass.prove.search.claims import check_claims, parse_claims
from acompass.prove.search.verdicts import prove_policy
from tests.generators.strategies import parse_and_check
from tests.theory import expressions
from tests.theory.expressions import form
from tests.theory.map_tables import labels_of_texts, parts
from tests.theory.oracle import answers
from tests.theory.record_policies import RecordPolicy, random_policy

#: the most times that a question is repeated with more labels
_REPEATS = 40
#: the kind of numbers of any scale
_NUMBER = "number"


@dataclass(frozen=True)
class Decided:
    policy: RecordPolicy
    prove: str
    theory: str

    @property
    def applies(self) -> bool:
        """The theory does not decide if a map has no table, or a value no label."""
        return self.theory in ("proved", "refuted")

    @property
    def agrees(self) -> bool:
        return not self.applies or self.prove in (self.theory, "undecided")


@dataclass
class Question:
    """A question to the oracle, with the texts whose labels it has asked for, and the first word of its last answer."""

    policy: RecordPolicy
    texts: list[str] = field(default_factory=list)
    answer: str = ""
    is_open: bool = True

    def line(self) -> str:
        return question(self.policy, self.texts)

    def hear(self, reply: str) -> None:
        self.answer, *rest = reply.strip("()").split()
        text = "".join(chr(int(character)) for character in rest) if self.answer == "unlabeled" else None
        self.is_open = text is not None and text not in self.texts
        if text is not None:
            self.texts.append(text)


def random_policies(seeds: Iterable[str]) -> list[RecordPolicy]:
    return [random_policy(Random(seed)) for seed in seeds]


def decide(policies: Sequence[RecordPolicy]) -> list[Decided]:
    found = theory_answers(policies)
    return [Decided(policy, verdict(policy), answer) for policy, answer in zip(policies, found, strict=True)]


def theory_answers(policies: Sequence[RecordPolicy]) -> list[str]:
    """The first word of each answer. Repeats a question with the labels that the oracle lacked."""
    questions = [Question(policy) for policy in policies]
    for _ in range(_REPEATS):
        asked = [each for each in questions if each.is_open]
        for each, reply in zip(asked, answers([each.line() for each in asked]), strict=True):
            each.hear(reply)
    return [each.answer for each in questions]


def verdict(policy: RecordPolicy) -> str:
    tree, _ = parse_text(policy.text)
    (claim,) = prove_policy(tree, policy.text, [policy.claim], policy.types).claims
    return str(claim.verdict)


def question(policy: RecordPolicy, texts: Iterable[str] = ()) -> str:
    program = parse_and_check(policy.text, policy.schema)
    (claim,) = check_claims(parse_claims([policy.claim], parse_text(policy.text)[0]), program, {})
    assert claim.assertion is not None
    labels = labels_of_texts(program, texts)
    requirements = (expressions.requirement(each, labels.get(each.index, {})) for each in program.requirements)
    kinds = [_kind(type_) for type_ in policy.types.values()]
    asserted = expressions.assertion(claim.assertion)
    return form("decide", form(*kinds), form(*_tables(program, kinds)), form(*requirements), asserted)


def _kind(type_: str | Type) -> str:
    match type_:
        case str():
            return _NUMBER
        case Type(kind=Kind.DECIMAL, scale=scale):
            return form("decimal", scale)
        case Type(kind=kind):
            return str(kind)


def _tables(program: Program, kinds: Sequence[str]) -> Iterator[str]:
    """The tables of maps, for the types of their columns in the input."""
    for at, column, map_ in maps_by_step(program):
        kind, type_ = kinds[column], program.schema[column].type
        known = parts(map_, type_, any_scale=kind == _NUMBER)
        if known is not None:
            yield form(at, kind, *(form(guard, form(*map(ord, label))) for guard, label in known))
