"""Find requirements that have no effect, miss their purpose, or do too much.

AC501, AC502: no table can violate the requirement, or no table that the earlier lines produce.
AC503: an action leaves its own assertion violated. AC504, AC505: a later line breaks the assertion.
AC509: a RANDOM can draw a value that it replaces (Theorem 6). AC510: a REJECT can remove every record.
AC515: a later line makes the result of a random action irrelevant. AC517: a SOME that selects nothing affects all.
AC520: a pseudonym is released with a column that requirements group by, and none of them asks for a class size.
AC521: the source of the published rule that the policy was written from has to be read again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property, partial
from typing import TypeAlias

from acompass.errors.diagnostics import Diagnostic, Fix, Label, Severity, delete, insert, offer
from acompass.language.program import effects
from acompass.language.program.effects import changes, columns_written
from acompass.language.program.program import Action, Assertion, Program
from acompass.language.program.types import remaining
from acompass.language.text import tree
from acompass.language.text.formatter import rule_in_remark
from acompass.language.text.tokens import spell_name
from acompass.language.text.tree import Quantifier
from acompass.language.text.walk import steps, steps_of
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY
from acompass.prove.proof import Exhausted
from acompass.prove.refute.refutation import Refuter
from acompass.prove.rules.facts import class_assertion
from acompass.prove.rules.reachability import Transition, record_condition
from acompass.prove.search.claims import assertion_columns, check_steps
from acompass.prove.search.prover import Prover, Provers
from acompass.prove.search.verdicts import Reasons
from acompass.reason.privacy.mentions import is_record_level
from acompass.reason.privacy.stability import accepts_one_record

#: whether a column of the table contains one of the texts
Occurs: TypeAlias = Callable[[str, Sequence[str]], bool]


class InspectedPolicy:
    """Numbers requirements from 0, like the prover's steps. `occurs` is None without a table; the types of the columns
    `inferred` follow from the policy alone."""

    def __init__(
        self,
        policy: tree.Program,
        program: Program,
        occurs: Occurs | None = None,
        inferred: frozenset[int] = frozenset(),
    ):
        self._steps = steps(policy)
        self._wholes = [whole for whole in policy.requirements for _ in steps_of(whole)]
        self.comments = policy.comments
        self.program = program
        self.occurs = occurs
        self.inferred = inferred
        self._reasons: dict[Prover, Reasons] = {}

    @cached_property
    def _provers(self) -> Provers:
        return Provers(self.program, ())

    @cached_property
    def provers_with_checks(self) -> Provers:
        """Provers restricted to the tables on which every check holds."""
        known = check_steps(self.program)
        return Provers(self.program, (), known) if known else self._provers

    @cached_property
    def prover(self) -> Prover:
        """Answers questions about conditions and actions; it may know nothing about the possible records."""
        return self._provers.for_columns(frozenset())

    def prover_for(self, assertion: Assertion) -> Prover:
        return self._provers.for_assertion(assertion)

    def reasons_for(self, assertion: Assertion) -> Reasons:
        prover = self.prover_for(assertion)
        return self._reasons.setdefault(prover, Reasons(prover))

    @cached_property
    def transitions(self) -> list[Transition]:
        """One transition per requirement, from a prover that knows the columns the requirement reads and writes."""
        columns = [
            assertion_columns(requirement.assertion) | columns_written([requirement])
            for requirement in self.program.requirements
        ]
        return [self._provers.for_columns(own).reachability.transitions[at] for at, own in enumerate(columns)]

    def holds_at_the_end(self, at: int) -> bool:
        """Whether the assertion is proved for the final table, or for the last table that has its columns."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_for(assertion)
        last = next(step for step in range(prover.last, -1, -1) if prover.fits(assertion, at, step))
        return prover.attempt(assertion, last).is_proof

    def holds_later(self, at: int) -> bool:
        """Whether a later line, such as REJECT at the end of a cascade, provably makes the assertion true.
        Lines after that one may break it again."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_for(assertion)
        return any(
            prover.fits(assertion, at, step) and prover.attempt(assertion, step).is_proof
            for step in range(at + 2, prover.last + 1)
            if self._may_establish(step - 1, assertion)
        )

    def _may_establish(self, at: int, assertion: Assertion) -> bool:
        """Whether a requirement can make an assertion true: it removes records, or writes a column that the assertion
        reads."""
        action = self.program.requirements[at].action
        return changes(action, assertion_columns(assertion))

    def line(self, at: int) -> int:
        return self.program.requirements[at].line

    def finding(
        self, code: str, message: str, at: int, help_: str, also: Iterable[Label] = (), fixes: tuple[Fix, ...] = ()
    ) -> Diagnostic:
        labels = (Label(self._steps[at].span), *also)
        return Diagnostic(code, message, labels, help_, Severity.WARNING, fixes)

    def removal(self, at: int) -> tuple[Fix, ...]:
        """A fix that is only offered: a requirement without effect is more often wrong than superfluous.
        There is none for a step of a THEN: if it has no effect, the steps after it have none either."""
        return offer("remove the requirement", delete(self._wholes[at].span)) if self._is_alone(at) else ()

    def is_first_step(self, at: int) -> bool:
        """False for the later steps of a THEN, which repeat the assertion."""
        return at == 0 or self._wholes[at] is not self._wholes[at - 1]

    def _is_alone(self, at: int) -> bool:
        """Whether the requirement has a single step."""
        return self._steps[at] is self._wholes[at]

    def move_below(self, at: int, target: int | None) -> tuple[Fix, ...]:
        """A fix that moves the requirement. There is none for a step of a THEN, because the order of steps matters."""
        if target is None or not self._is_alone(at):
            return ()
        moved = insert(self._wholes[target].span.end, f"\n{self.program.requirements[at].text};")
        return offer("move it down", delete(self._wholes[at].span), moved)

    def appended(self, title: str, text: str) -> tuple[Fix, ...]:
        """A fix that adds a requirement at the end of the policy."""
        return offer(title, insert(self._wholes[-1].span.end, f"\n{text}"))

    def label(self, at: int, text: str) -> Label:
        return Label(self._steps[at].span, text)


#: limits, in records times requirements, on the searches for counterexamples
ESTABLISHING_BUDGET = 20_000
BREAKING_BUDGET = 60_000
#: at most this many assertions of a policy are tested for AC504 and AC505
MAX_OF_CLASSES = 20
MAX_OF_RECORDS = 500


def find_never_violated(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, transition in enumerate(policy.transitions):
        if effects.is_always(transition.requirement):
            continue
        if _always_holds(policy, at, transition):
            if not policy.is_first_step(at):
                continue
            message = "no table can violate this requirement"
            yield policy.finding("AC501", message, at, "remove it, or correct its condition", fixes=policy.removal(at))
        elif transition.requirement.action is not None and _holds_before(policy, at):
            yield _redundant_finding(policy, at)


def _always_holds(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    prover = policy.prover
    if assertion.quantifier is Quantifier.SOME:
        return transition.may is EMPTY and transition.care is not EMPTY
    classes = class_assertion(prover.variables, at, assertion)
    if classes is None:
        return prover.forbidden_records(at, assertion) is EMPTY
    laws = prover.reachability.laws
    return all(any(laws.follows(fact, ALL) for fact in part or ()) for part in classes.parts)


def _holds_before(policy: InspectedPolicy, at: int) -> bool:
    assertion = policy.program.requirements[at].assertion
    return assertion.quantifier is Quantifier.EACH and policy.prover_for(assertion).attempt(assertion, at).is_proof


def _redundant_finding(policy: InspectedPolicy, at: int) -> Diagnostic:
    assertion = policy.program.requirements[at].assertion
    message = "after the preceding lines, nothing can violate this requirement"
    cause = _cause(policy, assertion, at)
    also = () if cause is None else (policy.label(cause, "after this line, nothing violates it"),)
    return policy.finding("AC502", message, at, "remove it, or move it up", also, policy.removal(at))


def _cause(policy: InspectedPolicy, assertion: Assertion, at: int) -> int | None:
    """The line after which the assertion holds."""
    if effects.process_in(assertion) is not None:
        attempt = policy.prover_for(assertion).attempt(assertion, at)
        return max(attempt.passed, default=None)
    since = policy.reasons_for(assertion).unchanged_since(assertion, at)
    return since - 1 if since > 0 else None


def find_not_established(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC503, unless a later line makes the assertion true, such as the REJECT at the end of a cascade."""
    for at, transition in enumerate(policy.transitions):
        if (
            _should_establish(transition)
            and policy.prover.fits(transition.requirement.assertion, at, at + 1)
            and _stays_violated(policy, at, transition)
            and not policy.holds_later(at)
        ):
            message, help_ = _establishing_advice(transition)
            yield policy.finding("AC503", message, at, help_)


def _should_establish(transition: Transition) -> bool:
    """Whether the action is meant to make its assertion true. A REJECT of every violating record does so anyway.
    With a probability, an assertion about records only selects the records to act on; one about classes is meant
    to become true."""
    requirement = transition.requirement
    if not effects.is_certain(requirement.action):
        return effects.process_of(requirement) is not None
    return bool(transition.columns) and not effects.is_always(requirement)


def _establishing_advice(transition: Transition) -> tuple[str, str]:
    """The message and the help."""
    requirement = transition.requirement
    if not effects.is_certain(requirement.action):
        message = "an action with a probability does not make the assertion true"
        return message, "remove WITH PROBABILITY, or add THEN REJECT"
    names = " and ".join(f"`{requirement.after[column].name}`" for column in transition.columns)
    message = f"writing {names} does not make the assertion true"
    if effects.action_name(requirement.action) == "GENERALIZE":
        return message, "add THEN REJECT, or a coarser step"
    return message, "write a value that satisfies it, or use REJECT"


def _stays_violated(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    assertion = transition.requirement.assertion
    if transition.may is EMPTY:
        return False
    if effects.process_of(transition.requirement) is not None:
        return assertion.quantifier is Quantifier.EACH and _leaves_violating_classes(policy, at, transition)
    diagrams = policy.prover.diagrams
    scope, condition = record_condition(policy.prover.variables, at + 1, assertion)
    rewritten = policy.prover.reachability.rewritten(transition)
    if assertion.quantifier is Quantifier.SOME:
        return diagrams.intersection(rewritten, diagrams.intersection(scope, condition)) is EMPTY
    return diagrams.intersection(rewritten, diagrams.difference(scope, condition)) is not EMPTY


def _leaves_violating_classes(policy: InspectedPolicy, at: int, transition: Transition) -> bool:
    """Whether the assertion is not proved after the requirement, and is refuted for the requirement alone."""
    assertion = transition.requirement.assertion
    if policy.prover_for(assertion).attempt(assertion, at + 1).is_proof:
        return False
    alone = Program(transition.requirement.before, (transition.requirement,), frozenset())
    (is_refuted,) = Refuter(Prover(alone, (assertion,)), ESTABLISHING_BUDGET).is_refuted([assertion])
    return is_refuted


def find_broken_later(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC504 and AC505, only for assertions that fail on a replayed table."""
    provers = policy.provers_with_checks
    for prover, candidates in provers.by_prover(_candidate_assertions(policy, provers)).items():
        refuter = Refuter(prover, BREAKING_BUDGET)
        refuted = refuter.is_refuted(list(candidates.values()))
        reasons = Reasons(prover)
        for at in [at for at, is_refuted in zip(candidates, refuted, strict=True) if is_refuted]:
            attempt = prover.attempt(candidates[at], prover.last)
            yield _broken_finding(policy, at, reasons.breaker(candidates[at], attempt))
        if refuter.exhausted:
            raise Exhausted(refuter.exhausted)


def _candidate_assertions(policy: InspectedPolicy, provers: Provers) -> dict[int, Assertion]:
    """The assertions that are proved right after their requirement but not at the end of the policy."""
    found: dict[int, Assertion] = {}
    left = {True: MAX_OF_CLASSES, False: MAX_OF_RECORDS}
    for at, requirement in enumerate(policy.program.requirements[:-1]):
        assertion, is_about_classes = requirement.assertion, effects.process_of(requirement) is not None
        prover = provers.for_assertion(assertion)
        if (
            assertion.quantifier is Quantifier.EACH
            and not effects.is_always(requirement)
            and prover.fits(assertion, at, prover.last)
            and left[is_about_classes]
            and not prover.attempt(assertion, prover.last).is_proof
            and prover.attempt(assertion, at + 1).is_proof
        ):
            found[at] = assertion
            left[is_about_classes] -= 1
    return found


def _broken_finding(policy: InspectedPolicy, at: int, breaker: int | None) -> Diagnostic:
    is_check = policy.program.requirements[at].action is None
    code = "AC505" if is_check else "AC504"
    by = "a later line" if breaker is None else f"line {policy.line(breaker)}"
    what = "this check" if is_check else "the assertion of this requirement"
    message = f"{what} may no longer hold after {by}"
    also = () if breaker is None else (policy.label(breaker, "this can break it"),)
    return policy.finding(code, message, at, f"move it below {by}", also, policy.move_below(at, breaker))


def find_draws_of_replaced_values(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC509 (Theorem 6), but not after ALWAYS, where no value is wrong, and not with a probability, where the
    action is not meant to replace every violating value."""
    variables, reachability = policy.prover.variables, policy.prover.reachability
    for at, transition in enumerate(policy.transitions):
        kernel = effects.drawing_kernel(transition.requirement.action)
        is_meant = effects.is_certain(transition.requirement.action) and not effects.is_always(transition.requirement)
        if kernel is None or kernel.reads_value or not is_meant:
            continue
        column = transition.write.column
        variable = variables.column(at + 1, column)
        affected = reachability.convert_written_columns(transition, transition.may)
        if variables.diagrams.mask_of(affected, variable) & reachability.written_regions(transition, column):
            name = transition.requirement.after[column].name
            message = f"RANDOM can draw values of `{name}` that this requirement replaces"
            help_ = "leave out" if kernel.integers() is None else "choose bounds that exclude"
            help_ += f" the values of `{name}` that violate the assertion"
            yield policy.finding("AC509", message, at, help_)


def find_emptying_rejects(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, transition in enumerate(policy.transitions):
        is_reject = effects.removes_all(transition.requirement.action)
        if is_reject and transition.care is not EMPTY and _can_affect_all(policy, transition):
            message = "this REJECT removes every record"
            if not _must_affect_all(policy, transition):
                message += " of a table that violates the assertion"
            yield policy.finding("AC510", message, at, _emptying_help(transition))


def _can_affect_all(policy: InspectedPolicy, transition: Transition) -> bool:
    if transition.may is EMPTY:
        return False
    if transition.requirement.assertion.quantifier is Quantifier.SOME:
        return True
    process = effects.process_of(transition.requirement)
    if process is not None and not process.group_by:
        return policy.prover.diagrams.difference(transition.care, transition.scope) is EMPTY
    return _must_affect_all(policy, transition)


def _must_affect_all(policy: InspectedPolicy, transition: Transition) -> bool:
    return policy.prover.diagrams.difference(transition.care, transition.must) is EMPTY


def _emptying_help(transition: Transition) -> str:
    if effects.is_always(transition.requirement):
        return "replace ALWAYS with the assertion that records have to satisfy"
    if transition.requirement.assertion.quantifier is Quantifier.SOME:
        return "use EACH to remove only the records that violate it, or omit the action to check"
    process = effects.process_of(transition.requirement)
    if process is None:
        return "correct the condition, which no record satisfies"
    if process.group_by:
        return "correct the condition, which no class satisfies"
    return "add GROUP BY to remove only the classes that violate it"


def find_empty_selections(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC517: on nothing, SOME fails (D16, empty bags), and then it affects the whole table (D17, SOME)."""
    variables = policy.prover.variables
    for at, transition in enumerate(policy.transitions):
        requirement, selected = transition.requirement, effects.filter_of(transition.requirement)
        is_some = requirement.assertion.quantifier is Quantifier.SOME and requirement.action is not None
        if not is_some or selected is None or not policy.is_first_step(at):
            continue
        scope = variables.condition(selected, partial(variables.column, at))
        if policy.prover.diagrams.difference(transition.care, scope) is not EMPTY:
            message = "on a table in which no record is selected, this SOME is violated and affects every record"
            help_ = "use EACH, which holds where nothing is selected, or omit the action to check"
            yield policy.finding("AC517", message, at, help_)


def find_idle_chances(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, requirement in enumerate(policy.program.requirements):
        if not effects.draws(requirement.action):
            continue
        columns = sorted(effects.written_by(requirement.action))
        overwriting = [_overwriting_line(policy, at, column) for column in columns]
        later = overwriting[0] if overwriting else _rejecting_line(policy, at)
        if later is not None and None not in overwriting:
            message = f"line {policy.line(later)} makes the result of this random action irrelevant"
            text = (
                f"overwrites or drops every value of `{requirement.after[columns[0]].name}`"
                if columns
                else "removes the same records"
            )
            also = (policy.label(later, text),)
            yield policy.finding("AC515", message, at, "remove one of the two lines", also, policy.removal(at))


def _overwriting_line(policy: InspectedPolicy, at: int, column: int) -> int | None:
    """The line that replaces or drops all values of the column before any line reads them."""
    for later, requirement in enumerate(policy.program.requirements[at + 1 :], at + 1):
        is_read = column in effects.read_by(requirement.action) | effects.columns_read(requirement)
        if is_read or effects.reads_others(requirement.action):
            return None
        if effects.is_always(requirement) and _overwrites(requirement.action, column):
            return later
    return None


def _overwrites(action: Action | None, column: int) -> bool:
    """Whether an action on all records leaves no value of the column, nor anything that depends on one."""
    dropped = effects.projection_of(action)
    if dropped is not None:
        return column in dropped.columns
    return column in effects.written_by(action) - effects.read_by(action) and effects.is_certain(action)


def _rejecting_line(policy: InspectedPolicy, at: int) -> int | None:
    """The later line that rejects every record that this one rejects by chance. No line in between is a check or
    depends on other records."""
    for later, requirement in enumerate(policy.program.requirements[at + 1 :], at + 1):
        if requirement.action is None or not is_record_level(requirement):
            return None
        if effects.removes_all(requirement.action) and _is_refused(policy, at, later):
            return later
    return None


def _is_refused(policy: InspectedPolicy, at: int, later: int) -> bool:
    """Whether every record that one line affects violates the assertion of a later line."""
    between = policy.program.requirements[at:later]
    requirement = policy.program.requirements[later]
    if effects.columns_read(requirement) & effects.columns_written(between):
        return False
    refused = policy.prover.forbidden_records(later, requirement.assertion)
    return policy.prover.diagrams.difference(policy.transitions[at].may, refused) is EMPTY


def find_bare_pseudonyms(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC520 (X15), for each column that is a pseudonym in the released table."""
    released = remaining(policy.program.final_schema)
    written = effects.columns_with_pseudonyms(policy.program.requirements)
    pseudonyms = {column: at for column, at in written.items() if column in released}
    grouped = _columns_without_size(policy.program)
    beside = [column for column in released if column in grouped and column not in pseudonyms]
    for column, at in pseudonyms.items() if beside else ():
        own, *others = (policy.program.schema[each].name for each in (column, *beside))
        listed = " and ".join(f"`{name}`" for name in others)
        message = f"`{own}` is a pseudonym, which is not anonymity: no requirement asks for a class size by {listed}"
        also = (policy.label(grouped[beside[0]], f"groups by `{others[0]}`"),)
        groups = ", ".join(spell_name(name) for name in others)
        size = f"EACH PROCESS COUNT DISTINCT({spell_name(own)}) AS n GROUP BY {groups} : n >= 5 : REJECT;"
        yield policy.finding("AC520", message, at, f"add `{size}`", also, policy.appended("require a class size", size))


def _columns_without_size(program: Program) -> dict[int, int]:
    """The columns that some requirement groups by, with the first such line, except where a requirement is violated by
    every class of one record."""
    found: dict[int, int] = {}
    sized: set[int] = set()
    for at, requirement in enumerate(program.requirements):
        process = effects.process_of(requirement)
        for column in () if process is None else process.group_by:
            found.setdefault(column, at)
        if process is not None and effects.is_promise(requirement) and not accepts_one_record(requirement.assertion):
            sized.update(process.group_by)
    return {column: at for column, at in found.items() if column not in sized}


def find_overdue_rules(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC521, for each rule in a comment that `rules new` wrote."""
    for rule in filter(None, (rule_in_remark(comment.text) for comment in policy.comments)):
        if rule.review < today():
            message = f"the source of rule `{rule.name}` had to be read again by {rule.review}"
            help_ = (
                f"see whether a newer version of acompass has the rule with a later date: `acompass rules show "
                f"{rule.name}`; or compare the policy with the source, and write the next date in the comment"
            )
            yield policy.finding("AC521", message, 0, help_)


def today() -> date:
    return date.today()
