"""Sampling, then a k: the (ε, δ) of a policy for one record more or less. docs/privacy-proofs.md, 1.

Up to the first requirement about classes, every record has its own fate. If each is rejected often enough,
and that requirement rejects every class of fewer than k records that are alike, the rest is post-processing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from acompass.checked.effects import drops_records, is_certain, process_of
from acompass.checked.program import Process, Program, Quantifier, Requirement
from acompass.privacy.attaining import unrandomized
from acompass.privacy.class_conditions import ClassCondition, class_condition
from acompass.privacy.delta import worst_class
from acompass.privacy.exponential import just_below_exponential
from acompass.privacy.survival import Survival, survival
from acompass.privacy.table_answer import Refusal, TablePrivacy
from acompass.privacy.uniform_classes import difference_within
from acompass.semantics import Record


@dataclass(frozen=True, slots=True)
class _Sampled:
    """A policy, taken apart: record-level requirements, the one that rejects classes of fewer than k records,
    and those that come after it."""

    before: Sequence[Requirement]
    rejecting: Requirement
    classes: Process
    condition: ClassCondition
    k: int
    after: Sequence[Requirement]


def table_privacy(program: Program, epsilon: Fraction | Decimal) -> TablePrivacy | Refusal:
    """The privacy of the bag that the program leaves, for ε ≥ 0; a refusal where nothing can be claimed."""
    parts = _taken_apart(program)
    if isinstance(parts, Refusal):
        return parts
    kept = survival(program.schema, parts.before)
    if kept.beta in (0, 1):
        return Refusal(parts.rejecting.line, _NOT_SAMPLED if kept.beta else _NOTHING_LEFT)
    ratio = just_below_exponential(epsilon)
    worst = worst_class(parts.k, kept.beta, ratio)
    witness = _attaining(program, parts, kept)
    return TablePrivacy(
        epsilon=Fraction(epsilon),
        ratio=ratio,
        delta=worst.delta,
        k=parts.k,
        beta=kept.beta,
        class_size=worst.size,
        direction=worst.direction,
        sampled=tuple(dict.fromkeys(requirement.line for requirement in kept.sampled)),
        rejects=parts.rejecting.line,
        is_exact=worst.is_exact and witness is not None,
        witness=witness,
    )


_NO_CLASSES = "no requirement rejects small classes"
_NOT_SAMPLED = "the lines before it keep some records for certain"
_NOTHING_LEFT = "the lines before it reject every record"


def _taken_apart(program: Program) -> _Sampled | Refusal:
    about_others = (at for at, each in enumerate(program.requirements) if not _is_by_record(each))
    at = next(about_others, None)
    if at is None:
        return Refusal(None, _NO_CLASSES)
    before, rejecting = program.requirements[:at], program.requirements[at]
    classes = process_of(rejecting)
    reason = _unfit(rejecting)
    if reason is not None:
        return Refusal(rejecting.line, reason)
    assert classes is not None, "it is about classes, or it is unfit"
    condition = class_condition(rejecting.assertion, classes)
    k = condition.least_count()
    if k is None or k == 1:
        return Refusal(rejecting.line, "it accepts a class of one record" if k else "it accepts no class")
    differing = difference_within(classes, rejecting.before, before)
    if differing is not None:
        return Refusal(rejecting.line, differing)
    return _Sampled(before, rejecting, classes, condition, k, program.requirements[at + 1 :])


def _is_by_record(requirement: Requirement) -> bool:
    """Whether the fate of each record is its own."""
    by_record = requirement.assertion.quantifier is Quantifier.EACH and process_of(requirement) is None
    return by_record and requirement.action is not None


def _unfit(requirement: Requirement) -> str | None:
    """Why a requirement that is not record-level does not reject small classes; None if it may."""
    classes = process_of(requirement)
    if requirement.action is None:
        return "a check decides whether anything is written, and one record can decide the check"
    if requirement.assertion.quantifier is Quantifier.SOME:
        return "it affects all records or none, and one record can decide which"
    if not (drops_records(requirement.action) and is_certain(requirement.action)):
        return "it changes whole classes before small ones are rejected, so one record can change others"
    if classes is not None and classes.where is not None:
        return "`WHERE` spares records, and these may be in small classes"
    return None


def _attaining(program: Program, parts: _Sampled, kept: Survival) -> Record | None:
    """A record whose copies attain δ, by the outcome that some of them are left; None if none was found."""
    if any(drops_records(each.action) or each.action is None for each in parts.after):
        return None
    found = unrandomized(program, parts.before, kept)
    if found is None:
        return None
    record, left = found
    group = tuple(left[column] for column in parts.classes.group_by)
    return record if parts.condition.is_about_at_least(parts.k, group) else None
