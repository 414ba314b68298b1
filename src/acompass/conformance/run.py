"""Compare an engine with `semantics` on many random cases, and find the smallest case that differs."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from acompass.checked.types import Kind
from acompass.conformance.compare import Disagreement, compare, observe_session
from acompass.conformance.generate import Case, random_case
from acompass.conformance.once import Once
from acompass.conformance.shrink import shrunk
from acompass.conformance.values import KINDS
from acompass.diagnostics import AcompassError
from acompass.engines.connect import open_session
from acompass.plan.from_checked import Rewrite
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.session import Session

#: called with the number of cases done and their total
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    """`smallest` is a disagreement from whose case no part can be removed. `lacking` has the kinds of values
    that the engine does not have and that no case uses."""

    cases: int
    disagreements: int
    smallest: Disagreement | None
    lacking: tuple[Kind, ...]

    @property
    def ok(self) -> bool:
        return self.disagreements == 0


def conform(
    engine: str | Session,
    cases: int = 500,
    seed: int = 0,
    rewrites: Sequence[Rewrite] = REWRITES,
    progress: Progress | None = None,
) -> Report:
    """`engine` is a URL, as for a run, or a session. The same seed gives the same cases."""
    if isinstance(engine, str):
        with open_session(engine) as session:
            return _conform(session, cases, seed, rewrites, progress)
    return _conform(engine, cases, seed, rewrites, progress)


def _conform(
    session: Session, cases: int, seed: int, rewrites: Sequence[Rewrite], progress: Progress | None
) -> Report:
    judge = _Judge(session, rewrites)
    kinds = tuple(kind for kind in KINDS if kind not in session.dialect.lacks)
    found: list[Disagreement] = []
    for number in range(cases):
        disagreement = judge(random_case(random.Random(f"{seed}:{number}"), kinds, stops=True))
        if disagreement is not None:
            found.append(disagreement)
        if progress is not None:
            progress(number + 1, cases)
    smallest = shrunk(found[0], judge) if found else None
    lacking = tuple(kind for kind in KINDS if kind in session.dialect.lacks)
    return Report(cases, len(found), smallest, lacking)


def agrees(engine: str, case: Case) -> bool:
    """Whether an engine gives the results of `semantics` for one case."""
    with open_session(engine) as session:
        return _Judge(session, REWRITES)(case) is None


class _Judge:
    def __init__(self, session: Session, rewrites: Sequence[Rewrite]):
        self._session = Once(session)
        self._observe = observe_session(self._session, rewrites)

    def __call__(self, case: Case) -> Disagreement | None:
        try:
            return compare(case, self._observe)
        except AcompassError as error:
            return Disagreement(case, "answer", "no error", error.diagnostics[0].message)
        finally:
            self._session.clear()
