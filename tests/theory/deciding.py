"""The decision of claims about records that is extracted from the theory, beside the verdicts of `prove`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from acompass.language.program.checker import check
from acompass.language.program.effects import as_generalize
from acompass.language.program.program import Program
from acompass.language.program.types import Kind, Type
from acompass.language.text.parser import parse_text
from acompass.prove.search.claims import check_claims, parse_claims
from acompass.prove.search.verdicts import prove_policy
from tests.theory import expressions
from tests.theory.expressions import form
from tests.theory.map_tables import labels_of_texts, parts
from tests.theory.oracle import answers
from tests.theory.record_policies import RecordPolicy, random_policy

#: a map is asked for the labels of this many texts that a counterexample may have
_TEXTS = 40
#: the kind of numbers of any scale
_NUMBER = "number"


@dataclass(frozen=True)
class Decided:
    policy: RecordPolicy
    prove: str
    theory: str

    @property
    def applies(self) -> bool:
        """Where a map has no table, or a value no label, the theory does not decide."""
        return self.theory in ("proved", "refuted")

    @property
    def agrees(self) -> bool:
        return not self.applies or self.prove in (self.theory, "undecided")


@dataclass
class Question:
    """The texts whose labels were asked for so far, and the first word of the last answer."""

    policy: RecordPolicy
    texts: list[str] = field(default_factory=list)
    answer: str = ""
    is_open: bool = True

    def line(self) -> str:
        return question(self.policy, self.texts)

    def hear(self, reply: str) -> None:
        self.answer, *rest = reply.strip("()").split()
        text = "".join(chr(int(character)) for character in rest) if self.answer == "unlabelled" else None
        self.is_open = text is not None and text not in self.texts
        if text is not None:
            self.texts.append(text)


def random_policies(seeds: Iterable[str]) -> list[RecordPolicy]:
    return [random_policy(Random(seed)) for seed in seeds]


def decided(policies: Sequence[RecordPolicy]) -> list[Decided]:
    found = theory_answers(policies)
    return [Decided(policy, verdict(policy), answer) for policy, answer in zip(policies, found, strict=True)]


def theory_answers(policies: Sequence[RecordPolicy]) -> list[str]:
    """The first word of each answer. The maps are asked for labels that turn out to be needed."""
    questions = [Question(policy) for policy in policies]
    for _ in range(_TEXTS):
        asked = [each for each in questions if each.is_open]
        for each, reply in zip(asked, answers([each.line() for each in asked]), strict=True):
            each.hear(reply)
    return [each.answer for each in questions]


def verdict(policy: RecordPolicy) -> str:
    tree, _ = parse_text(policy.text)
    (claim,) = prove_policy(tree, policy.text, [policy.claim], policy.types).claims
    return str(claim.verdict)


def question(policy: RecordPolicy, texts: Iterable[str] = ()) -> str:
    program = _checked(policy)
    (claim,) = check_claims(parse_claims([policy.claim]), program, {})
    assert claim.assertion is not None
    labels = labels_of_texts(program, texts)
    requirements = (expressions.requirement(each, labels.get(each.index, {})) for each in program.requirements)
    kinds = [_kind(type_) for type_ in policy.types.values()]
    asserted = expressions.assertion(claim.assertion)
    return form("decide", form(*kinds), form(*_tables(program, kinds)), form(*requirements), asserted)


def _checked(policy: RecordPolicy) -> Program:
    tree, problems = parse_text(policy.text)
    assert not problems, (policy, problems)
    program, problems = check(tree, policy.text, policy.schema, {})
    assert program is not None, (policy, problems)
    return program


def _kind(type_: str | Type) -> str:
    match type_:
        case str():
            return _NUMBER
        case Type(kind=Kind.DECIMAL, scale=scale):
            return form("decimal", scale)
        case Type(kind=kind):
            return str(kind)


def _tables(program: Program, kinds: Sequence[str]) -> Iterator[str]:
    """The tables of maps, for the types that their columns have at the start."""
    for at, requirement in enumerate(program.requirements):
        action = as_generalize(requirement.action)
        if action is None:
            continue
        kind, type_ = kinds[action.column], program.schema[action.column].type
        known = parts(action.map, type_, any_scale=kind == _NUMBER)
        if known is not None:
            yield form(at, kind, *(form(guard, form(*map(ord, label))) for guard, label in known))
