"""The functions of `import acompass` and of the command line about a policy and every table."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from acompass.api import open_session
from acompass.arguments import Opening, validated
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type, types_by_name
from acompass.findings import Findings
from acompass.policy import Policy, as_policy, attach_text

if TYPE_CHECKING:
    from acompass.compare.answer import Comparison
    from acompass.privacy.answer import PrivacyProof
    from acompass.session import Session


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
    old_params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    deadline: float | str = 30,
    paper: bool = False,
    **opening: Unpack[Opening],
) -> "Comparison":
    """Find out whether two policies are equivalent: the same table and trace always give the same result.

    If they are not, the answer has a small table on which they differ. It also says which guarantees of each
    policy the other keeps, and what the new one can release that the old one could not. A parameter has the
    same value in both, unless `old_params` has one for the old policy. `table` provides only the schema.
    Without a schema, `types` gives the types of some columns; the others are inferred from both policies.
    What is not decided after `deadline` seconds is undecided.
    """
    from acompass.compare.flow import compare_policies
    from acompass.compare.own_values import with_values
    from acompass.compare.pairs import types_for_both
    from acompass.prove.effort import seconds_of, time_limit

    limit = seconds_of(deadline)
    one, other = (as_policy(policy, paper) for policy in (old, new))
    if old_params:
        one = with_values(one, old_params)
    if table is not None:
        with open_session(table, opening) as session:
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
) -> Findings:
    """Find probable mistakes in the policy. `table` provides the schema, and is searched for the values of
    hierarchies. `types` gives only the types of some columns. What is not found after `deadline` seconds is
    missing, which AC516 says."""
    from acompass.lint import lint_policy
    from acompass.prove.effort import seconds_of

    parsed, limit = as_policy(policy, paper), seconds_of(deadline)
    with attach_text(parsed):
        if table is None:
            found = lint_policy(parsed.tree, parsed.text, schema, params, types, deadline=limit)
        else:
            with open_session(table, opening) as session:
                schema, occurs = _types_in(session, parsed, params), session.occurs
                found = lint_policy(parsed.tree, parsed.text, schema, params, types, occurs, limit)
    return Findings.of(found, parsed.text, parsed.name)


def _types_of(
    policy: Policy, table: Any, params: Mapping[str, ParamValue] | None, opening: Opening
) -> dict[str, str | Type]:
    with open_session(table, opening) as session:
        return _types_in(session, policy, params)


def _types_in(
    session: "Session", policy: Policy, params: Mapping[str, ParamValue] | None
) -> dict[str, str | Type]:
    return types_by_name(session.schema(policy, params=params))
