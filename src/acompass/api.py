"""The functions of `import acompass` and of the command line that work on a table, opened for one call.

Each takes `paper`: then a policy with a form that is not in the paper's language is an error (X0).
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from acompass.arguments import Opening, validated
from acompass.checked.parameters import ParamValue
from acompass.options import HierarchiesArgument
from acompass.policy import Policy, as_policy

if TYPE_CHECKING:
    from acompass.estimates import Estimate
    from acompass.explanation import Explanation
    from acompass.measures import Measures
    from acompass.perturbation import Perturbation
    from acompass.plan.running.context import Progress
    from acompass.randomness import TraceValue
    from acompass.result import Plan, Result
    from acompass.session import Session
    from acompass.suggestion import Suggestion


@validated
def check(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    show: int = 0,
    report: str | os.PathLike[str] | None = None,
    report_internal: str | os.PathLike[str] | None = None,
    progress: "Progress | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Result":
    """Evaluate every assertion on the table; perform no action (D22).

    `show` is the number of violating classes or records to fetch for each requirement; these are personal
    data. `report` is where to write a report page for whoever receives the table, `report_internal` one for
    its curator, with figures of the table before. `opening` are arguments of `acompass.open`.
    """
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.check(
            parsed,
            params=params,
            show=show,
            report=report,
            report_internal=report_internal,
            progress=progress,
        )


@validated
def run(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: "Iterable[TraceValue] | None" = None,
    order: str | None = None,
    output: str | os.PathLike[str] | None = None,
    partition: Sequence[str] | None = None,
    force: bool = False,
    report: str | os.PathLike[str] | None = None,
    report_internal: str | os.PathLike[str] | None = None,
    progress: "Progress | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Result":
    """Perform the requirements one after the other.

    With `output`, the table is written there, unless a requirement without an action is violated and `force`
    is False. Otherwise, it is in the result. With `partition`, `output` is a folder with a folder of Parquet
    files for each value of these columns. With `force`, an existing table of a database, or such a folder, is
    replaced. The input is never overwritten. `report` is where to write a report page for whoever receives
    the table, `report_internal` one for its curator, with figures of the table before. `opening` are
    arguments of `acompass.open`.
    """
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.run(
            parsed,
            params=params,
            seed=seed,
            trace=trace,
            order=order,
            output=output,
            partition=partition,
            force=force,
            report=report,
            report_internal=report_internal,
            progress=progress,
        )


@validated
def plan(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: "Iterable[TraceValue] | None" = None,
    order: str | None = None,
    progress: "Progress | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Plan":
    """Do everything that `run` does, except for writing the output."""
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.plan(parsed, params=params, seed=seed, trace=trace, order=order, progress=progress)


@validated
def explain(
    policy: Policy | str,
    table: Any,
    *,
    record: int | None = None,
    where: str | None = None,
    limit: int = 5,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: "Iterable[TraceValue] | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Explanation":
    """Explain what a run does to record number `record`, or to the first `limit` that satisfy `where`.

    In PostgreSQL and Spark, records are numbered in canonical order. The explanation contains personal data.
    """
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.explain(
            parsed, record=record, where=where, limit=limit, params=params, seed=seed, trace=trace
        )


@validated
def measure(
    table: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    *,
    policy: Policy | str | None = None,
    against: Any = None,
    population: Any = None,
    sampling_weight: str | None = None,
    below: Sequence[int] | None = None,
    hierarchies: HierarchiesArgument | None = None,
    report: str | os.PathLike[str] | None = None,
    report_internal: str | os.PathLike[str] | None = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Measures":
    """Measure a table by its quasi-identifiers. Columns that are not given come from the policy.

    `weight` is a column with the number of persons that a record stands for, `sampling_weight` one with the
    number of persons of the population that a record of a sample represents, `population` a table of that
    population. `against` is the table before anonymization. `dates` are those of the table before
    anonymization: `against`, or else the table itself. `report` and `report_internal` are where to write
    report pages, as for `run`. With `hierarchies`, such as `{"Age": "bands:5,10"}`, the loss against the
    table before is measured; columns that they lack get levels from their values.
    """
    with open_session(table, opening) as session:
        return session.measure(
            qi,
            sensitive,
            weight,
            policy=policy,
            against=against,
            population=population,
            sampling_weight=sampling_weight,
            below=below,
            hierarchies=hierarchies,
            report=report,
            report_internal=report_internal,
            paper=paper,
        )


@validated
def suggest(
    table: Any,
    qi: Sequence[str],
    k: int,
    *,
    sensitive: Sequence[str] | None = None,
    l: int | None = None,  # noqa: E741
    t: str | None = None,
    hierarchies: HierarchiesArgument | None = None,
    max_lost: str | None = None,
    lines: int | None = None,
    seconds: float | None = None,
    keep: Sequence[str] | None = None,
    style: str = "cascade",
    compare: bool = False,
    output: str | os.PathLike[str] | None = None,
    stopped: "Callable[[], bool] | None" = None,
    progress: "Callable[[float, float], None] | None" = None,
    **opening: Unpack[Opening],
) -> "Suggestion":
    """Search for a policy that reaches k, and l for each sensitive column, with little loss.

    `hierarchies` are the levels of columns: a file, `bands:5,10,20`, `prefix:4,3,2` or `dates`; the others
    are proposed from the table's values. `max_lost` is the share of records that may be dropped, `lines` the
    largest number of steps, `keep` columns to change last. `t` is reached on this table and not proved.
    `output` is where to write the policy. `opening` are arguments of `acompass.open`.
    """
    with open_session(table, opening) as session:
        return session.suggest(
            qi,
            k,
            sensitive=sensitive,
            l=l,
            t=t,
            hierarchies=hierarchies,
            max_lost=max_lost,
            lines=lines,
            seconds=seconds,
            keep=keep,
            style=style,
            compare=compare,
            output=output,
            stopped=stopped,
            progress=progress,
        )


@validated
def pram(
    table: Any,
    column: str,
    keep: str | None = None,
    *,
    matrix: str | os.PathLike[str] | None = None,
    uniform: bool = False,
    round: int | None = None,  # noqa: A002
    output: str | os.PathLike[str] | None = None,
    **opening: Unpack[Opening],
) -> "Perturbation":
    """Write a policy that randomizes a column: a record keeps its value with probability `keep`, and
    otherwise gets one by its share of the records (invariant PRAM).

    With `uniform`, all values are equally probable; with `round`, the counts are rounded to multiples of it.
    `matrix` is a CSV file with the probability of each change. `output` is where to write the policy.
    `opening` are arguments of `acompass.open`.
    """
    with open_session(table, opening) as session:
        return session.pram(column, keep, matrix=matrix, uniform=uniform, round=round, output=output)


@validated
def estimate(
    released: Any,
    policy: Policy | str,
    column: str,
    *,
    params: Mapping[str, ParamValue] | None = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Estimate":
    """Estimate the distribution of a column before the policy, from the table that the policy released.

    The estimate is unbiased, with a standard error. `opening` are arguments of `acompass.open`.
    """
    parsed = as_policy(policy, paper)
    with open_session(released, opening) as session:
        return session.estimate(parsed, column, params=params)


def open_session(table: Any, opening: Opening) -> "Session":
    """Open a session. It is imported here, because it imports engines (invariant 7)."""
    from acompass import session

    return session.open(table, **opening)
