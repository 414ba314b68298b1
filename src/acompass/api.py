"""The functions of `import acompass` and of the command line.

First the calls on a table, which is opened for one call; then those about a policy on every table. Their docstrings
are completed with the arguments, which `options.py` declares."""

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

from acompass.arguments import declared_options, unchecked, validate_arguments
from acompass.language.program.constants import ParamValue
from acompass.language.program.types import Schema, Type, types_by_name
from acompass.options import (
    CheckOnTable,
    Claims,
    ClassSize,
    ColumnArgument,
    CompareOptions,
    DbtOptions,
    EstimateOnTable,
    ExplainOnTable,
    KeepProbability,
    LintOptions,
    MeasureOnTable,
    ModelName,
    Opening,
    PlanOnTable,
    PolicyArgument,
    PramOnTable,
    ProveOptions,
    QuasiIdentifiers,
    Reading,
    RunOnTable,
    SchemaArgument,
    SensitiveColumns,
    SuggestOnTable,
    TableArgument,
    WeightColumn,
)
from acompass.policy import Policy, TableRoles, as_policy, attach_text, call_roles, table_roles

if TYPE_CHECKING:
    from acompass.author.answers import DbtFiles, Estimate, Perturbation, Suggestion
    from acompass.errors.diagnostics import Diagnostic
    from acompass.explain.answer import Explanation
    from acompass.measure.answer import Measures
    from acompass.reason.compare.answer import Comparison
    from acompass.reason.lint import Findings
    from acompass.reason.privacy.answer import PrivacyProof
    from acompass.result import Plan, Result
    from acompass.session import Session


@validate_arguments
def check(policy: PolicyArgument, table: TableArgument, **options: Unpack[CheckOnTable]) -> "Result":
    """Evaluate every assertion on the table; perform no action (D22, check and run).

    >>> acompass.check("EACH RESULT : Age <= top;", [{"Age": 54}, {"Age": 86}], params={"top": 80}).ok
    False
    """
    result: Result = _call_on(table, "check", options, as_policy(policy, options["paper"]))
    return result


@validate_arguments
def run(policy: PolicyArgument, table: TableArgument, **options: Unpack[RunOnTable]) -> "Result":
    """Perform the requirements one after the other.

    The table is in the result or, with `output`, written there.

    >>> acompass.run("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;", [{"Age": 54}, {"Age": 86}]).table
    [{'Age': 54}, {'Age': 80}]
    """
    result: Result = _call_on(table, "run", options, as_policy(policy, options["paper"]))
    return result


@validate_arguments
def plan(policy: PolicyArgument, table: TableArgument, **options: Unpack[PlanOnTable]) -> "Plan":
    """Do everything that `run` does, except write the output.

    >>> acompass.plan("EACH RESULT : Age <= 80 : REJECT;", [{"Age": 54}, {"Age": 86}]).result.records_out
    1
    """
    planned: Plan = _call_on(table, "plan", options, as_policy(policy, options["paper"]))
    return planned


@validate_arguments
def explain(policy: PolicyArgument, table: TableArgument, **options: Unpack[ExplainOnTable]) -> "Explanation":
    """Explain what a run does to one record, or to those that satisfy a condition; it contains personal data.

    >>> acompass.explain("EACH RESULT : Age <= 80 : REJECT;", [{"Age": 86}], record=1).lives[0].steps[0].dropped
    True
    """
    explanation: Explanation = _call_on(table, "explain", options, as_policy(policy, options["paper"]))
    return explanation


@validate_arguments
def measure(
    table: TableArgument,
    qi: QuasiIdentifiers = None,
    sensitive: SensitiveColumns = None,
    weight: WeightColumn = None,
    **options: Unpack[MeasureOnTable],
) -> "Measures":
    """Measure a table's disclosure risk by its quasi-identifiers; omitted columns are taken from the policy.

    >>> acompass.measure([{"Age": 54}, {"Age": 54}, {"Age": 86}], qi=["Age"]).k
    1
    """
    if options["hierarchies"] is None and options["against"] is not None:
        options["hierarchies"] = _measured_hierarchies(table, qi, options)
    measures: Measures = _call_on(table, "measure", options, qi, sensitive, weight)
    return measures


def _declared_roles(table: Any, options: Mapping[str, Any]) -> TableRoles:
    return call_roles(table, options["roles"], options["person"])


def _measured_hierarchies(
    table: Any, qi: QuasiIdentifiers, options: MeasureOnTable
) -> Mapping[str, str | os.PathLike[str]] | None:
    """Those of the original table's acompass.toml; None if it has none for the columns that are measured."""
    from acompass.measure.hierarchy import table_hierarchies
    from acompass.measure.roles import assign_roles

    policy = None if options["policy"] is None else as_policy(options["policy"], options["paper"]).tree
    roles = assign_roles(policy, qi, (), declared=_declared_roles(table, options))
    return table_hierarchies(options["against"], roles.quasi_identifiers) or None


@validate_arguments
def suggest(
    table: TableArgument, qi: QuasiIdentifiers, k: ClassSize, **options: Unpack[SuggestOnTable]
) -> "Suggestion":
    """Search for a policy that reaches k, and l for each sensitive column, with little loss.

    >>> acompass.suggest([{"Age": age} for age in (31, 32, 33, 34)], qi=["Age"], k=2).records_out
    4
    """
    if options["hierarchies"] is None:
        from acompass.measure.hierarchy import table_hierarchies

        names = qi or _declared_roles(table, options).quasi_identifiers
        options["hierarchies"] = table_hierarchies(table, names)
    suggestion: Suggestion = _call_on(table, "suggest", options, qi, k)
    return suggestion


@validate_arguments
def pram(
    table: TableArgument, column: ColumnArgument, keep: KeepProbability = None, **options: Unpack[PramOnTable]
) -> "Perturbation":
    """Write a policy that randomizes a column.

    A record keeps its value with probability `keep` and otherwise gets a value drawn by its share of the records
    (invariant PRAM).

    >>> acompass.pram([{"Disease": "a"}, {"Disease": "b"}], "Disease", keep=0.8).ratio
    Fraction(9, 1)
    """
    policy: Perturbation = _call_on(table, "pram", options, column, keep)
    return policy


@validate_arguments
def estimate(
    released: TableArgument, policy: PolicyArgument, column: ColumnArgument, **options: Unpack[EstimateOnTable]
) -> "Estimate":
    """Estimate a column's distribution before the policy from the table that the policy released.

    The estimate is unbiased and has a standard error.

    >>> table = [{"Disease": "a"}, {"Disease": "b"}]
    >>> acompass.estimate(table, acompass.pram(table, "Disease", keep=0.8), "Disease").records.estimate
    Fraction(2, 1)
    """
    estimated: Estimate = _call_on(released, "estimate", options, as_policy(policy, options["paper"]), column)
    return estimated


def open_session(table: Any, options: Mapping[str, Any]) -> "Session":
    """Open a session, importing it only now, because it imports engines (invariant 7, imports on first use)."""
    from acompass import session

    opening = {name: options.get(name) for name in Opening.__annotations__}
    return unchecked(session.open)(table, **cast(Opening, opening))


def _call_on(table: Any, name: str, options: Mapping[str, Any], *arguments: Any) -> Any:
    """Call the session's method of this name on a table that is opened for it; the arguments were checked."""
    with open_session(table, options) as session:
        others = {name: each for name, each in options.items() if name not in _OPENING}
        return unchecked(getattr(type(session), name))(session, *arguments, **others)


#: the options that only the opening of a table has
_OPENING = declared_options(Opening).keys() - declared_options(Reading).keys()


@validate_arguments
def prove(
    policy: PolicyArgument, claims: Claims = None, schema: SchemaArgument = None, **options: Unpack[ProveOptions]
) -> "PrivacyProof":
    """Prove which claims hold for every table this policy can produce.

    The default claims are the policy's own assertions. With `privacy`, the answer also bounds what the output reveals
    about one record's value of each column, or of each set of `columns`; about the presence of one record, for an
    `epsilon`; and how far one record's influence spreads. This needs every column of the table, from `table`,
    `schema` or `types`.

    >>> acompass.prove("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;").ok
    True
    """
    from acompass.prove.proof import parse_deadline, time_limit
    from acompass.reason.compare.claims import PolicyQuestion, prove_claims
    from acompass.reason.compare.pairs import Inputs
    from acompass.reason.privacy.answer import PrivacyProof
    from acompass.reason.privacy.proof import prove_privacy, require_columns
    from acompass.report.page.output import CertificateFile

    parsed, limit = as_policy(policy, options["paper"]), parse_deadline(options["deadline"])
    params, table, types = options["params"], options["table"], options["types"]
    file = CertificateFile(options["certificate"], parsed, table)
    with attach_text(parsed):
        if table is not None:
            schema = _table_types(parsed, options)
        if options["privacy"] and schema is None:
            schema, types = require_columns(types), None
        asking = PolicyQuestion(parsed, Inputs(schema, params or {}, types), options["assume"] or ())
        with time_limit(limit):
            proof, found = file.write(prove_claims(asking, claims, file.add)), None
            if options["privacy"] and schema is not None:
                columns = {**schema, **(types or {})}
                found = prove_privacy(
                    parsed.tree, parsed.text, columns, params, options["columns"], str(options["epsilon"])
                )
        return PrivacyProof(proof.claims, proof.types, proof.inferred, found)


@validate_arguments
def compare(
    old: PolicyArgument, new: PolicyArgument, schema: SchemaArgument = None, **options: Unpack[CompareOptions]
) -> "Comparison":
    """Decide whether two policies are equivalent: the same table and trace always give the same result.

    If they are not, the answer has a small table on which they differ. It also says which guarantees of each policy
    the other keeps (`guarantees`), and whether the new one releases the same, no more or more (`releases`).

    >>> acompass.compare("EACH RESULT : Age <= 80 : REJECT;", "EACH RESULT : Age < 81 : REJECT;").equivalent
    False
    """
    from acompass.prove.proof import parse_deadline, time_limit
    from acompass.reason.compare.comparison import compare_policies
    from acompass.reason.compare.pairs import replace_parameters, types_for_both

    limit = parse_deadline(options["deadline"])
    one, other = (as_policy(policy, options["paper"]) for policy in (old, new))
    if options["old_params"]:
        one = replace_parameters(one, options["old_params"])
    if options["table"] is not None:
        with open_session(options["table"], options) as session:
            schema = types_for_both(one, other, options["params"] or {}, partial(_session_types, session))
    with time_limit(limit):
        return compare_policies(one, other, schema, options["params"], options["types"])


@validate_arguments
def lint(policy: PolicyArgument, schema: SchemaArgument = None, **options: Unpack[LintOptions]) -> "Findings":
    """Find probable mistakes in the policy. With `table`, also look for its values in the policy's hierarchies.

    Linting stops after `deadline` seconds and then reports AC516.

    >>> [finding.code for finding in acompass.lint("EACH RESULT : Age <= 80 AND Age > 80 : REJECT;")]
    ['AC510']
    """
    from acompass.prove.proof import parse_deadline
    from acompass.reason.lint import Findings
    from acompass.reason.lint.linter import lint_policy

    parsed, limit = as_policy(policy, options["paper"]), parse_deadline(options["deadline"])
    params, types = options["params"], options["types"]
    with attach_text(parsed):
        if options["table"] is None:
            found = lint_policy(parsed.tree, parsed.text, schema, params, types, deadline=limit)
        else:
            with open_session(options["table"], options) as session:
                columns, occurs = session.schema(parsed, params=params), session.occurs
                doubts = [
                    (each.code, each.requirement, each.text, each.help)
                    for each in session.doubts(parsed, params=params)
                ]
                schema = types_by_name(columns)
                found = lint_policy(parsed.tree, parsed.text, schema, params, types, occurs, limit, doubts)
                found = (*found, *_released_identifiers(options["table"], columns, parsed, params))
    return Findings.of(found, parsed.text, parsed.name)


def _released_identifiers(
    table: Any, columns: Schema, policy: Policy, params: Mapping[str, ParamValue] | None
) -> "list[Diagnostic]":
    """Find identifiers that `run` would refuse to release, if the table's acompass.toml gives its columns roles."""
    declared = table_roles(table)
    if not declared.identifiers:
        return []
    from acompass.roles import released_identifiers
    from acompass.run import checked_program

    return released_identifiers(checked_program(policy, columns, params), policy, declared)


def _table_types(policy: Policy, options: ProveOptions | DbtOptions) -> dict[str, str | Type]:
    with open_session(options["table"], options) as session:
        return _session_types(session, policy, options["params"])


def _session_types(
    session: "Session", policy: Policy, params: Mapping[str, ParamValue] | None
) -> dict[str, str | Type]:
    return types_by_name(session.schema(policy, params=params))


@validate_arguments
def dbt(policy: PolicyArgument, model: ModelName, **options: Unpack[DbtOptions]) -> "DbtFiles":
    """Write the policy as files of a dbt project.

    They are a Python model, `released`, that performs the policy on `model`, and a singular test of it for each
    assertion. With `source`, the tests run on `model` itself, like `check`. Without `output`, the files are only in
    the answer. `missing`, `na` and `dates` are for the Python model.

    >>> list(acompass.dbt("EACH RESULT : Age <= 80 : REJECT;", "people").files)[2]
    'models/people_released.py'
    """
    from acompass.author.dbt.files import Request, dbt_files

    parsed = as_policy(policy, options["paper"])
    with attach_text(parsed):
        schema = options["schema"] if options["table"] is None else _table_types(parsed, options)
        request = Request(
            parsed,
            model,
            released=options["released"],
            source=options["source"],
            python_model=options["python_model"],
            dialect=options["dialect"],
            params=options["params"] or {},
            schema=schema,
            types=options["types"],
            shows_records=options["show_records"],
            reading={name: value for name in Reading.__annotations__ if (value := options.get(name))},
        )
        output = options["output"]
        path = None if output is None else os.fspath(output)
        return dbt_files(request, path, force=options["force"], dry=options["dry"])
