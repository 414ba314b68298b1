"""Search for a chain of steps: greedy chains first, then local search from them with perturbations.

Chains with a common beginning share its states, and evaluating a chain that cannot win stops early. A search without a
time limit ends after a fixed amount of work, so that the same problem gives the same answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, takewhile
from math import inf
from random import Random
from time import monotonic

import numpy as np

from acompass.author.suggest.search_problem import IntArray, Problem, Step
from acompass.author.suggest.search_state import SearchSpace, State
from acompass.dataclasses import dataclass, field

POWERS = (1.05, 0.95)
PATIENCE = 12  # consecutive perturbations without improvement before the search ends
NONE_SETTLED = 1e-3  # the worth, in records, of a step that settles no class
ROOM = 256 * 2**20  # bytes of cached states
DOUBT = 1e-3  # relative amount by which an estimate may exceed the loss to beat
STEP, BLOCK = 1e-4, 2e-4  # relative penalty on a step, and on a separate assertion, for the reader's effort
OFTEN = 0.2  # least share of the records for a label that a step may leave unchanged
MOST = 3  # labels that one step may leave unchanged
START = 2_000  # fixed work of a step, in rows

Chain = tuple[Step, ...]


@dataclass(slots=True)
class Effort:
    """The work and the time that a search may take, and what it has used."""

    most: float | None  # work in rows; None if only `seconds` limits it
    seconds: float | None
    stopped: Callable[[], bool]
    progress: Callable[[float, float], None]
    done: float = 0.0
    early: bool = False
    least: float = inf  # of the weighted losses
    shown: float = inf  # the loss without weights of the same policy
    _begin: float = field(default_factory=monotonic)

    def spend(self, rows: int) -> None:
        self.done += rows + START

    def is_over(self) -> bool:
        """Whether to end the search."""
        return self.is_cut_short() or (self.most is not None and self.done > self.most)

    def is_cut_short(self) -> bool:
        """Whether the caller or the time limit ends the search at once; permanent once True."""
        if not self.early:
            late = self.seconds is not None and monotonic() - self._begin > self.seconds
            self.early = late or self.stopped()
        return self.early

    def renew(self, part: float = 1.0) -> Effort:
        """A new effort with the same work, and a share of the remaining time."""
        left = None if self.seconds is None else part * max(0.0, self.seconds - (monotonic() - self._begin))
        return Effort(self.most, left, self.stopped, self.progress)

    def report(self, loss: float, plain: float) -> None:
        """Show the loss without weights (`plain`) of the policy that the search prefers so far."""
        if loss < self.least:
            self.least, self.shown = loss, plain
        self.progress(self._part(), self.shown)

    def _part(self) -> float:
        parts = [0.0]
        if self.most is not None:
            parts.append(self.done / self.most)
        if self.seconds:
            parts.append((monotonic() - self._begin) / self.seconds)
        return min(1.0, max(parts))


@dataclass(frozen=True, slots=True)
class StepChoices:
    steps: tuple[Step, ...]
    frequent: dict[tuple[int, int], tuple[int, ...]]  # by column and level, the labels that a step may leave unchanged

    def variants(self, step: Step) -> list[Step]:
        """Other steps of the same column, and the step with one label more or fewer left unchanged."""
        same = [each for each in self.steps if each.column == step.column]
        toggled = (set(step.but) ^ {label} for label in self.frequent[step.column, step.level])
        some = [Step(step.column, step.level, tuple(sorted(but))) for but in toggled if len(but) <= MOST]
        return [each for each in dict.fromkeys((*same, *some)) if each != step]


def best_chain(space: SearchSpace, start: State, choices: StepChoices, most: int, effort: Effort) -> EvaluatedChain:
    """Return the best chain found of at most `most` steps."""
    chains, random = Chains(space, start, effort), Random(0)
    # all columns at their last level settle the most records
    best = EvaluatedChain(chains, shorten_chain(chains, last_level_choices(space.problem).steps, most))
    effort.report(best.loss, best.plain_loss)
    for power in POWERS:
        begin = EvaluatedChain(chains, shorten_chain(chains, greedy(chains, choices, power), most))
        best = _better(best, improve_chain(chains, choices, begin, most, random))
        effort.report(best.loss, best.plain_loss)
        if effort.is_over():
            break
    failures = 0
    while failures < PATIENCE and best.chain and not effort.is_over():
        elsewhere = EvaluatedChain(chains, perturb_chain(choices, best.chain, most, random))
        current = improve_chain(chains, choices, elsewhere, most, random)
        failures = 0 if current.penalized_loss < best.penalized_loss else failures + 1
        best = _better(best, current)
        effort.report(best.loss, best.plain_loss)
    return best


def _better(one: EvaluatedChain, other: EvaluatedChain) -> EvaluatedChain:
    return other if other.penalized_loss < one.penalized_loss else one


def greedy(chains: Chains, choices: StepChoices, power: float) -> Chain:
    """Build a chain greedily: a power below 1 prefers cheap steps, above 1 steps that settle many records."""
    chain: Chain = ()
    state, levels = chains.start, dict.fromkeys((step.column for step in choices.steps), 0)
    while state.left and not chains.effort.is_cut_short():
        chains.effort.report(inf, inf)
        options = [step for step in choices.steps if _is_next(choices, step, levels[step.column])]
        tried = [(step, chains.after(chain, state, step)) for step in options]
        moving = [(step, following) for step, following in tried if following is not state]
        if not moving:
            break
        step, following = max(moving, key=lambda each: _worth(chains, state, each[1], power))
        chain, state, levels[step.column] = (*chain, step), following, step.level
    return chain if not state.left else (*chain, *last_level_choices(chains.space.problem).steps)


def _is_next(choices: StepChoices, step: Step, level: int) -> bool:
    """Whether the step uses the column's current level, for labels left unchanged before, or the next one."""
    if step.level <= level:
        return step.level == level
    return not any(step.column == each.column and level < each.level < step.level for each in choices.steps)


def _worth(chains: Chains, before: State, after: State, power: float) -> float:
    cost = chains.space.price(after.shares) - chains.space.price(before.shares)
    settled = before.left - after.left
    return ((settled**power) if settled else NONE_SETTLED) / (cost + 1e-12)


def shorten_chain(chains: Chains, chain: Chain, most: int) -> Chain:
    """Remove the chain's least useful steps until at most `most` are left: several at a time, finally one by one."""
    while (over := len(chain) - most) > 0:
        if chains.effort.is_cut_short():
            return chain[:most]
        losses = [chains.loss(shorter) for shorter in _with_removed_step(chain)]
        missed = sorted(range(len(chain)), key=losses.__getitem__)[: -(-over // 4)]
        chain = tuple(step for place, step in enumerate(chain) if place not in missed)
    return chain


def improve_chain(
    chains: Chains, choices: StepChoices, current: EvaluatedChain, most: int, random: Random
) -> EvaluatedChain:
    """Apply changes that lower the loss until none does or the effort is used up."""
    tried = {current.chain}
    while True:
        for chain in _changes(choices, current.chain, most, random):
            if chains.effort.is_over():
                return current
            if chain in tried:
                continue
            tried.add(chain)
            if chains.beats(chain, current):
                current = EvaluatedChain(chains, chain)
                break
        else:
            return current


def perturb_chain(choices: StepChoices, chain: Chain, most: int, random: Random) -> Chain:
    """Make several random changes, to continue the search elsewhere."""
    for _ in range(random.randint(2, 4)):
        chain = random.choice(_changes(choices, chain, most, random) or [chain])
    return chain


def _changes(choices: StepChoices, chain: Chain, most: int, random: Random) -> list[Chain]:
    """Neighboring chains in random order. Longer ones come last: there are many, and few of them help."""
    changes = [*_with_removed_step(chain), *_with_replaced_step(choices, chain), *_with_moved_step(chain)]
    longer = _with_added_step(choices, chain) if len(chain) < most else []
    random.shuffle(changes)
    random.shuffle(longer)
    return changes + longer


def _with_removed_step(chain: Chain) -> list[Chain]:
    return [chain[:place] + chain[place + 1 :] for place in range(len(chain))]


def _with_replaced_step(choices: StepChoices, chain: Chain) -> list[Chain]:
    return [
        (*chain[:place], variant, *chain[place + 1 :])
        for place, step in enumerate(chain)
        for variant in choices.variants(step)
    ]


def _with_moved_step(chain: Chain) -> list[Chain]:
    return [
        (*rest[:to], step, *rest[to:])
        for place, step in enumerate(chain)
        for rest in [chain[:place] + chain[place + 1 :]]
        for to in range(len(chain))
        if to != place
    ]


def _with_added_step(choices: StepChoices, chain: Chain) -> list[Chain]:
    return [
        (*chain[:place], step, *chain[place:])
        for step in choices.steps
        for place in range(len(chain) + 1)
        if step not in chain[max(0, place - 1) : place + 1]
    ]


class EvaluatedChain:
    """A chain and its loss, with the loss and the remaining records after each step."""

    def __init__(self, chains: Chains, chain: Chain) -> None:
        self.chain: Chain = ()
        self.passed: list[tuple[float, int]] = []
        state = chains.start
        for step in (*chain, None):
            self.passed.append((chains.space.price(state.shares), state.left))
            following = chains.after(self.chain, state, step) if step else state
            if following is not state and step:
                self.chain = (*self.chain, step)
            elif step:
                self.passed.pop()
            state = following
        self.loss = chains.space.loss(state)
        self.plain_loss = chains.space.plain_loss(state)
        self.penalized_loss = self.loss * reading_penalty(self.chain)

    def estimate(self, to_come: int, price: float, left: int) -> float:
        """Estimate the loss of a chain with this price and `left` records that ends in the same `to_come` steps."""
        lost, remained = self.passed[len(self.chain) - to_come]
        return price + left * (self.loss - lost) / remained if remained else price


class Chains:
    def __init__(self, space: SearchSpace, start: State, effort: Effort) -> None:
        self.space, self.start, self.effort = space, start, effort
        self._known: dict[Chain, State] = {}
        self._room = ROOM

    def beats(self, chain: Chain, best: EvaluatedChain) -> bool:
        """Whether a chain loses less. Some better chains are missed, because most evaluations end at an estimate."""
        same = _common_end(chain, best.chain)
        limit = best.loss * (1 + DOUBT)
        state, at = self._longest(chain)
        while at < len(chain) and state.left:
            price, to_come = self.space.price(state.shares), len(chain) - at
            if price >= best.loss or (to_come <= same and best.estimate(to_come, price, state.left) > limit):
                return False
            state, at = self.after(chain[:at], state, chain[at]), at + 1
        return self.space.loss(state) * reading_penalty(chain) < best.penalized_loss - 1e-9

    def loss(self, chain: Chain) -> float:
        state, at = self._longest(chain)
        while at < len(chain) and state.left:
            state, at = self.after(chain[:at], state, chain[at]), at + 1
        return self.space.loss(state)

    def after(self, begin: Chain, state: State, step: Step) -> State:
        chain = (*begin, step)
        known = self._known.get(chain)
        if known is None:
            known = self.space.after(state, step)
            self.effort.spend(0 if known is state else state.size)
            self._remember(chain, known)
        return known

    def _longest(self, chain: Chain) -> tuple[State, int]:
        """The state after the longest cached beginning of the chain."""
        for at in range(len(chain), 0, -1):
            known = self._known.get(chain[:at])
            if known is not None:
                return known, at
        return self.start, 0

    def _remember(self, chain: Chain, state: State) -> None:
        self._known[chain] = state
        self._room -= state.nbytes
        while self._room < 0 and len(self._known) > 1:
            self._room += self._known.pop(next(iter(self._known))).nbytes


def reading_penalty(chain: Chain) -> float:
    """The factor on the loss for the effort of reading the chain."""
    asserted = [(step.column, step.but) if step.but else None for step in chain]
    blocks = sum(one != other for one, other in pairwise((*asserted, None)))
    return 1 + STEP * len(chain) + BLOCK * blocks


def _common_end(one: Chain, other: Chain) -> int:
    """The number of final steps that two chains share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def all_step_choices(problem: Problem) -> StepChoices:
    steps: list[Step] = []
    frequent = {}
    for column, ladder in enumerate(problem.ladders):
        records = _records(problem, column) if column in problem.named else np.zeros(0, np.int64)
        for level, up in enumerate(ladder.up, start=1):
            often = [label for label in _frequent(records, problem.records) if up[label] != label]
            frequent[column, level] = tuple(often)
            steps += [Step(column, level), *(Step(column, level, (label,)) for label in often)]
    return StepChoices(tuple(steps), frequent)


def last_level_choices(problem: Problem) -> StepChoices:
    """The last level of each column."""
    steps = tuple(Step(column, len(ladder.up)) for column, ladder in enumerate(problem.ladders) if ladder.up)
    return StepChoices(steps, {(step.column, step.level): () for step in steps})


def _records(problem: Problem, column: int) -> IntArray:
    """The records of each label, at the level where it has most."""
    ladder = problem.ladders[column]
    values = np.zeros(len(ladder.labels), np.int64)
    np.add.at(values, problem.combinations[:, column], problem.counts)
    most = values
    for up in ladder.up:
        level = np.zeros_like(values)
        np.add.at(level, np.asarray(up, np.int64), values)
        most = np.maximum(most, level)
    return most


def _frequent(records: IntArray, total: int) -> list[int]:
    """The labels that a step may leave unchanged, most frequent first."""
    order = np.argsort(-records, kind="stable")
    return [int(label) for label in order if records[label] >= OFTEN * total]
