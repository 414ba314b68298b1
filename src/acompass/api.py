"""The functions of `import acompass` and of the command line. Each opens a table for one call.

Each takes `paper`: then a policy with a form that is not in the paper's language is an error (X0).
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from acompass.arguments import Opening, validated
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type, types_by_name
from acompass.diagnostics import Diagnostic
from acompass.options import HierarchiesArgument
from acompass.policy import Policy, as_policy, attach_text

if TYPE_CHECKING:
    from acompass.compare.answer import Comparison
    from acompass.estimates import Estimate
    from acompass.explanation import Explanation
    from acompass.measures import Measures
    from acompass.perturbation import Perturbation
    from acompass.plan.running.context import Progress
    from acompass.privacy.answer import PrivacyProof
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
    progress: "Progress | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Result":
    """Evaluate every assertion on the table; perform no action (D22).

    `show` is the number of violating classes or records to fetch for each requirement; these are personal
    data. `report` is the path of a report page to write. `opening` are arguments of `acompass.open`.
    """
    parsed = as_policy(policy, paper)
    with _open(table, opening) as session:
        return session.check(parsed, params=params, show=show, report=report, progress=progress)


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
    force: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: "Progress | None" = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Result":
    """Perform the requirements one after the other.

    With `output`, the table is written there, unless a requirement without an action is violated and `force`
    is False. Otherwise, it is in the result. With `force`, an existing table of a database is replaced. The
    input is never overwritten. `report` is the path of a report page to write. `opening` are arguments of
    `acompass.open`.
    """
    parsed = as_policy(policy, paper)
    with _open(table, opening) as session:
        return session.run(
            parsed,
            params=params,
            seed=seed,
            trace=trace,
            order=order,
            output=output,
            force=force,
            report=report,
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
    with _open(table, opening) as session:
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

    The explanation contains personal data.
    """
    parsed = as_policy(policy, paper)
    with _open(table, opening) as session:
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
    below: Sequence[int] | None = None,
    hierarchies: HierarchiesArgument | None = None,
    report: str | os.PathLike[str] | None = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Measures":
    """Measure a table by its quasi-identifiers. Columns that are not given come from the policy.

    `against` is the table before anonymization, `population` a table of the population that its people belong
    to. `dates` are those of the table before anonymization: `against`, or else the table itself. `report` is
    the path of a report page to write. With `hierarchies`, such as `{"Age": "bands:5,10"}`, the loss against
    the table before is measured; columns that they lack get levels from their values.
    """
    with _open(table, opening) as session:
        return session.measure(
            qi,
            sensitive,
            weight,
            policy=policy,
            against=against,
            population=population,
            below=below,
            hierarchies=hierarchies,
            report=report,
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
    with _open(table, opening) as session:
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
    with _open(table, opening) as session:
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
    with _open(released, opening) as session:
        return session.estimate(parsed, column, params=params)


@validated
def prove(
    policy: Policy | str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    *,
    types: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    assume: Sequence[str] | None = None,
    privacy: bool = False,
    columns: Sequence[str | Sequence[str]] | None = None,
    epsilon: str = "1",
    certificate: str | os.PathLike[str] | None = None,
    deadline: float | str = 30,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "PrivacyProof":
    """Prove which claims hold for every table that a run of the policy writes.

    The default claims are the policy's own assertions. `table` provides only the schema. Without a schema,
    `types` gives the types of some columns, such as `{"Age": "integer"}`; the others are inferred from the
    policy, and a number may have any scale. A claim is an assertion, `idempotent`, `order of 3, 5` for two
    lines, or `Age unchanged` for a column. The assertions `assume` are known of the table before the policy.

    With `privacy`, the answer also says what the output gives away about one record's value of each column,
    or of each set of `columns`; about one record more or less, for an `epsilon`; and how far one record
    spreads. It needs all columns of the table: without a table and a schema, `types` has them.

    What is not decided after `deadline` seconds is undecided. The file `certificate` gets what the proofs
    rest on, for the checker that is proved sound.
    """
    from acompass.certify import CertificateFile
    from acompass.compare.asking import Asking
    from acompass.compare.pairs import Given
    from acompass.compare.policy_claims import prove_claims
    from acompass.privacy.answer import PrivacyProof
    from acompass.privacy.flow import prove_privacy, require_columns
    from acompass.prove.effort import seconds_of, time_limit

    parsed, limit = as_policy(policy, paper), seconds_of(deadline)
    file = CertificateFile(certificate, parsed, table)
    with attach_text(parsed):
        if table is not None:
            schema = _types_of(parsed, table, params, opening)
        if privacy and schema is None:
            schema, types = require_columns(types), None
        asking = Asking(parsed, Given(schema, params or {}, types), assume or ())
        with time_limit(limit):
            proof, found = file.written(prove_claims(asking, claims, file.add)), None
            if privacy and schema is not None:
                found = prove_privacy(
                    parsed.tree, parsed.text, {**schema, **(types or {})}, params, columns, epsilon
                )
        return PrivacyProof(proof.claims, proof.types, proof.inferred, found)


@validated
def compare(
    old: Policy | str,
    new: Policy | str,
    schema: Mapping[str, str | Type] | None = None,
    *,
    types: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    deadline: float | str = 30,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Comparison":
    """Find out whether two policies are equivalent: the same table and trace always give the same result.

    If they are not, the answer has a small table on which they differ. It also says which guarantees of each
    policy the other keeps, and what the new one can release that the old one could not. A parameter has the
    same value in both. `table` provides only the schema. Without a schema, `types` gives the types of some
    columns; the others are inferred from both policies. What is not decided after `deadline` seconds is
    undecided.
    """
    from acompass.compare.flow import compare_policies
    from acompass.compare.pairs import types_for_both
    from acompass.prove.effort import seconds_of, time_limit

    limit = seconds_of(deadline)
    one, other = (as_policy(policy, paper) for policy in (old, new))
    if table is not None:
        with _open(table, opening) as session:
            schema = types_for_both(one, other, params or {}, partial(_types_in, session))
    with time_limit(limit):
        return compare_policies(one, other, schema, params, types)


@validated
def lint(
    policy: Policy | str,
    schema: Mapping[str, str | Type] | None = None,
    *,
    types: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    deadline: float | str = 30,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> tuple[Diagnostic, ...]:
    """Find probable mistakes in the policy. `table` provides the schema, and is searched for the values of
    hierarchies. `types` gives only the types of some columns. What is not found after `deadline` seconds is
    missing, which AC516 says."""
    from acompass.lint import lint_policy
    from acompass.prove.effort import seconds_of

    parsed, limit = as_policy(policy, paper), seconds_of(deadline)
    with attach_text(parsed):
        if table is None:
            return lint_policy(parsed.tree, parsed.text, schema, params, types, deadline=limit)
        with _open(table, opening) as session:
            schema, occurs = _types_in(session, parsed, params), session.occurs
            return lint_policy(parsed.tree, parsed.text, schema, params, types, occurs, limit)


def _open(table: Any, opening: Opening) -> "Session":
    """Open a session. It is imported here, because it imports engines (invariant 7)."""
    from acompass import session

    return session.open(table, **opening)


def _types_of(
    policy: Policy, table: Any, params: Mapping[str, ParamValue] | None, opening: Opening
) -> dict[str, str | Type]:
    with _open(table, opening) as session:
        return _types_in(session, policy, params)


def _types_in(
    session: "Session", policy: Policy, params: Mapping[str, ParamValue] | None
) -> dict[str, str | Type]:
    return types_by_name(session.schema(policy, params=params))
