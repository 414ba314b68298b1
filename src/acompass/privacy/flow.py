"""From a policy to its privacy: by column, of the whole table, and how far one record spreads."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from acompass.checked.names import Names
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Schema, Type
from acompass.diagnostics import CallError, Diagnostic
from acompass.privacy.answer import Privacy
from acompass.privacy.column_privacy import column_privacy
from acompass.privacy.sampled_classes import table_privacy
from acompass.privacy.stability import stability
from acompass.prove.column_types import column_types, finer_scale
from acompass.prove.policy import checked_policy
from acompass.syntax import tree
from acompass.syntax.walk import parameter_names


def prove_privacy(
    policy: tree.Program,
    source: str,
    schema: Mapping[str, str | Type],
    params: Mapping[str, ParamValue] | None = None,
    columns: Sequence[str | Sequence[str]] | None = None,
    epsilon: str = "1",
) -> Privacy:
    """The columns of `schema` are all that the table has. By default, each of them is asked about."""
    program = _program(policy, source, schema, params or {})
    asked = _asked(program.schema, columns)
    return Privacy(
        column_privacy(program, asked),
        table_privacy(program, _number(epsilon)),
        stability(program),
    )


def require_columns(types: Mapping[str, str | Type] | None) -> Mapping[str, str | Type]:
    """The types of all columns, which privacy cannot do without."""
    if types:
        return types
    message = "privacy needs all columns of the table: those that the policy never names go out as they are"
    raise CallError([Diagnostic("AC553", message, help="--table people.csv, or --types for each column")])


def _program(
    policy: tree.Program,
    source: str,
    schema: Mapping[str, str | Type],
    params: Mapping[str, ParamValue],
) -> Program:
    """The parameters of claims are left out. Numbers of any scale have one that tells all constants apart."""
    own = {name: value for name, value in params.items() if name in parameter_names(policy)}
    types = column_types(policy, own, schema)
    return checked_policy(policy, source, types.widened(finer_scale(policy, own)), own)


def _asked(schema: Schema, columns: Sequence[str | Sequence[str]] | None) -> list[frozenset[int]]:
    names = Names([column.name for column in schema])
    if columns is None:
        return [frozenset((column,)) for column in range(len(schema))]
    sets = ((each,) if isinstance(each, str) else each for each in columns)
    return [frozenset(_position(name, names) for name in each) for each in sets]


def _position(name: str, names: Names) -> int:
    match names.find(name):
        case (position,):
            return position
        case ():
            close = names.closest(name)
            meant = f"; did you mean `{close}`?" if close else ""
            message, help_ = f"unknown column `{name}`", f"columns: {names.listing()}{meant}"
        case several:
            message = f"`{name}` matches several columns"
            help_ = f"spell it exactly as one of {', '.join(f'`{names.texts[each]}`' for each in several)}"
    raise CallError([Diagnostic("AC554", message, help=help_)])


def _number(epsilon: str) -> Decimal:
    try:
        number = Decimal(epsilon)
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite() and number >= 0:
        return number
    raise CallError(
        [Diagnostic("AC555", f"`{epsilon}` is not an ε: it is a number from 0 on", help="--epsilon 1")]
    )
