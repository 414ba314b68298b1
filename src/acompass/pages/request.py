"""A request for a report page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema
from acompass.measure.columns import Roles
from acompass.measures import Measures
from acompass.options import DatesArgument, Options
from acompass.policy import Policy
from acompass.report.html.content import Command
from acompass.result import Result


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """`after` is None if there is no output table. `roles` is None if the policy names the columns to
    measure. `measured` are the measures of the last table that the call itself asks for. `engine` is the
    engine's name and version; `has_tables` says whether a bare name means a table of the engine and not a
    file. `dates` are the formats of local dates in `before`."""

    command: Command
    before: Any = field(repr=False)
    engine: str
    has_tables: bool = False
    after: Any = field(default=None, repr=False)
    policy: Policy | None = None
    params: Mapping[str, ParamValue] | None = None
    schema: Schema | None = None
    result: Result | None = None
    roles: Roles | None = None
    measured: Measures | None = None
    dates: DatesArgument = ()
    options: Options = field(default_factory=Options)
