"""A request for a report page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema
from acompass.measure.columns import Roles
from acompass.measures import Journalist
from acompass.options import DatesArgument, Options
from acompass.policy import Policy
from acompass.report.html.content import Command, Reader
from acompass.result import Result


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """`after` is None if there is no output table. `roles` is None if the policy names the columns to
    measure. `journalist` is the risk of the last table against a population. `engine` is the engine's name
    and version; `has_tables` says whether a bare name means a table of the engine and not a file.
    `dates` are the formats of local dates in `before`. `reader` is whom the page is for."""

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
    journalist: Journalist | None = None
    dates: DatesArgument = ()
    options: Options = field(default_factory=Options)
    reader: Reader = "receiver"
