"""The functions of `import acompass` and of the command line.

First the calls on a table, which is opened for one call; then those about a policy on every table. With `paper`, each
rejects a policy that uses a form outside the paper's language (X0, conservative extension)."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from acompass.language.program.constants import ParamValue
from acompass.language.program.types import Type, types_by_name
from acompass.options import HierarchiesArgument, Opening, validate_arguments
from acompass.policy import Policy, as_policy, attach_text

if TYPE_CHECKING:
    from acompass.author.answers import DbtFiles, Estimate, Perturbation, Suggestion
    from acompass.engines.protocol import TraceValue
    from acompass.explain.answer import Explanation
    from acompass.measure.answer import Measures
    from acompass.plan.run.context import Progress
    from acompass.reason.compare.answer import Comparison
    from acompass.reason.lint import Findings
    from acompass.reason.privacy.answer import PrivacyProof
    from acompass.result import Plan, Result
    from acompass.session import Session


@validate_arguments
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
    """Evaluate every assertion on the table; perform no action (D22, check and run).

    `show` is the number of violating classes or records to fetch for each requirement; they are personal data.
    `report` is the path of a report page for the recipients of the table, `report_internal` of an internal page
    with figures of the original table. `opening` takes the arguments of `acompass.open`.
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


@validate_arguments
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

    The table is in the result or, with `output`, written there, unless a requirement without an action is violated
    and `force` is False. With `partition`, `output` is a folder with a subfolder of Parquet files for each value of
    these columns. `force` also replaces such a folder, or an existing database table. The input is never
    overwritten. `report`, `report_internal` and `opening` are as in `check`.
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


@validate_arguments
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
    """Do everything that `run` does, except write the output."""
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.plan(parsed, params=params, seed=seed, trace=trace, order=order, progress=progress)


@validate_arguments
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
    """Explain what a run does to record number `record`, or to the first `limit` records that satisfy `where`.

    In PostgreSQL and Spark, records are numbered in canonical order. The explanation contains personal data.
    """
    parsed = as_policy(policy, paper)
    with open_session(table, opening) as session:
        return session.explain(parsed, record=record, where=where, limit=limit, params=params, seed=seed, trace=trace)


@validate_arguments
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
    """Measure a table's disclosure risk by its quasi-identifiers; omitted columns are taken from the policy.

    `weight` names the column with the number of people a record stands for, `sampling_weight` the one with the
    number of people in the population that a sampled record represents. `population` is the table of the population
    that the records were sampled from. `against` is the table before anonymization, to which `dates` then apply.
    With `hierarchies`, as in `{"Age": "bands:5,10"}`, the loss against it is measured; columns without a hierarchy
    get levels derived from their values. `report` and `report_internal` are as in `check`.
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


@validate_arguments
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

    `hierarchies` gives the levels of columns: a file, `bands:5,10,20`, `prefix:4,3,2` or `dates`; for other columns,
    levels are derived from the table's values. `max_lost` is the share of records that may be dropped, `lines` the
    maximum number of steps, `keep` lists columns to change last. `t` is reached on this table but not proved.
    `output` is the path to write the policy to.
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


@validate_arguments
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
    """Write a policy that randomizes a column.

    A record keeps its value with probability `keep` and otherwise gets a value drawn by its share of the records
    (invariant PRAM). With `uniform`, all values are equally likely; with `round`, the counts are rounded to
    multiples of it. `matrix` is a CSV file with the probability of each change. `output` is the path to write the
    policy to.
    """
    with open_session(table, opening) as session:
        return session.pram(column, keep, matrix=matrix, uniform=uniform, round=round, output=output)


@validate_arguments
def estimate(
    released: Any,
    policy: Policy | str,
    column: str,
    *,
    params: Mapping[str, ParamValue] | None = None,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Estimate":
    """Estimate a column's distribution before the policy from the table that the policy released.

    The estimate is unbiased and has a standard error.
    """
    parsed = as_policy(policy, paper)
    with open_session(released, opening) as session:
        return session.estimate(parsed, column, params=params)


def open_session(table: Any, opening: Opening) -> "Session":
    """Open a session, importing it only now, because it imports engines (invariant 7, imports on first use)."""
    from acompass import session

    return session.open(table, **opening)


@validate_arguments
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
    """Prove which claims hold for every table this policy can produce.

    The default claims are the policy's own assertions. A claim is an assertion, `idempotent`, `order of 3, 5` for
    two lines, or `Age unchanged` for a column. `assume` lists assertions that hold for the input table. `table`
    provides only the schema. Without a schema, `types` gives the types of some columns, as in `{"Age": "integer"}`;
    the others are inferred from the policy, and numbers may have any scale.

    With `privacy`, the answer also bounds what the output reveals about one record's value of each column, or of
    each set of `columns`; about the presence of one record, for an `epsilon`; and how far one record's influence
    spreads. This needs every column of the table, from `table`, `schema` or `types`.

    A claim that is not decided after `deadline` seconds is reported as undecided. What the proofs rest on is
    written to the file `certificate`, for the checker that is proved sound.
    """
    from acompass.prove.effort import parse_deadline, time_limit
    from acompass.reason.compare.claims import PolicyQuestion, prove_claims
    from acompass.reason.compare.pairs import Inputs
    from acompass.reason.privacy.answer import PrivacyProof
    from acompass.reason.privacy.proof import prove_privacy, require_columns
    from acompass.report.proof_certificate import CertificateFile

    parsed, limit = as_policy(policy, paper), parse_deadline(deadline)
    file = CertificateFile(certificate, parsed, table)
    with attach_text(parsed):
        if table is not None:
            schema = _table_types(parsed, table, params, opening)
        if privacy and schema is None:
            schema, types = require_columns(types), None
        asking = PolicyQuestion(parsed, Inputs(schema, params or {}, types), assume or ())
        with time_limit(limit):
            proof, found = file.write(prove_claims(asking, claims, file.add)), None
            if privacy and schema is not None:
                found = prove_privacy(parsed.tree, parsed.text, {**schema, **(types or {})}, params, columns, epsilon)
        return PrivacyProof(proof.claims, proof.types, proof.inferred, found)


@validate_arguments
def compare(
    old: Policy | str,
    new: Policy | str,
    schema: Mapping[str, str | Type] | None = None,
    *,
    types: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    old_params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    deadline: float | str = 30,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Comparison":
    """Decide whether two policies are equivalent: the same table and trace always give the same result.

    If they are not, the answer has a small table on which they differ. It also says which guarantees of each policy
    the other keeps, and what the new one can release that the old one could not. A parameter has the same value in
    both policies, unless `old_params` sets one for the old policy. `table`, `types` and `deadline` are as in `prove`.
    """
    from acompass.prove.effort import parse_deadline, time_limit
    from acompass.reason.compare.comparison import compare_policies
    from acompass.reason.compare.pairs import replace_parameters, types_for_both

    limit = parse_deadline(deadline)
    one, other = (as_policy(policy, paper) for policy in (old, new))
    if old_params:
        one = replace_parameters(one, old_params)
    if table is not None:
        with open_session(table, opening) as session:
            schema = types_for_both(one, other, params or {}, partial(_session_types, session))
    with time_limit(limit):
        return compare_policies(one, other, schema, params, types)


@validate_arguments
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
) -> "Findings":
    """Find probable mistakes in the policy.

    `table` provides the schema, and the values that hierarchies should contain. `types` gives the types of some
    columns. Linting stops after `deadline` seconds and then reports AC516.
    """
    from acompass.prove.effort import parse_deadline
    from acompass.reason.lint import Findings
    from acompass.reason.lint.linter import lint_policy

    parsed, limit = as_policy(policy, paper), parse_deadline(deadline)
    with attach_text(parsed):
        if table is None:
            found = lint_policy(parsed.tree, parsed.text, schema, params, types, deadline=limit)
        else:
            with open_session(table, opening) as session:
                schema, occurs = _session_types(session, parsed, params), session.occurs
                found = lint_policy(parsed.tree, parsed.text, schema, params, types, occurs, limit)
    return Findings.of(found, parsed.text, parsed.name)


def _table_types(
    policy: Policy, table: Any, params: Mapping[str, ParamValue] | None, opening: Opening
) -> dict[str, str | Type]:
    with open_session(table, opening) as session:
        return _session_types(session, policy, params)


def _session_types(
    session: "Session", policy: Policy, params: Mapping[str, ParamValue] | None
) -> dict[str, str | Type]:
    return types_by_name(session.schema(policy, params=params))


@validate_arguments
def dbt(
    policy: Policy | str,
    model: str,
    *,
    released: str | None = None,
    source: bool = False,
    python_model: bool = True,
    dialect: str = "duckdb",
    schema: Mapping[str, str | Type] | None = None,
    types: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    show_records: bool = False,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    dry: bool = False,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "DbtFiles":
    """Write the policy as files of a dbt project.

    They are a Python model, `released`, that performs the policy on `model`, and a singular test of it for each
    assertion. With `source`, the tests run on `model` itself, like `check`. `output` is the project's folder; without
    it, the files are only in the answer. With `dry`, nothing is written, and the answer lists the changes. `table`
    provides only the schema, as in `prove`. `missing` and `dates` are for the Python model. With `show_records`,
    failing tests select personal data.
    """
    from acompass.author.dbt.files import Request, dbt_files

    parsed = as_policy(policy, paper)
    with attach_text(parsed):
        if table is not None:
            schema = _table_types(parsed, table, params, opening)
        request = Request(
            parsed,
            model,
            released=released,
            source=source,
            python_model=python_model,
            dialect=dialect,
            params=params or {},
            schema=schema,
            types=types,
            shows_records=show_records,
            reading={name: value for name in ("missing", "dates") if (value := opening.get(name))},
        )
        return dbt_files(request, None if output is None else os.fspath(output), force=force, dry=dry)
