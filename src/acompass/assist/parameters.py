"""The parameters of a policy that someone is writing."""

from collections.abc import Mapping

from acompass.assist.document import Document
from acompass.checked.parameters import ParamValue
from acompass.syntax.walk import parameter_names


def parameters(document: Document) -> tuple[str, ...]:
    """The names of the parameters in the requirements that parse, sorted."""
    return tuple(sorted(parameter_names(document.program)))


def used_params(document: Document, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
    """The values that the policy uses. A line that is being edited may use others a moment later."""
    names = parameter_names(document.program)
    return {name: value for name, value in params.items() if name in names}
