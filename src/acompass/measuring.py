"""`acompass.measure`: measures a table and, on request, writes a report about it."""

import os
from collections.abc import Sequence
from typing import Any

from acompass.measure.columns import Roles, assign_roles
from acompass.measure.flow import measure_table
from acompass.measures import THRESHOLDS, Measures
from acompass.policy import Policy, as_policy


def measure(
    table: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    *,
    policy: Policy | str | None = None,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    report: str | os.PathLike[str] | None = None,
) -> Measures:
    """Measure a table by its quasi-identifiers. The policy supplies the columns that the call omits.

    `against` is the table before anonymization. `population` is a table of all persons that the records may
    belong to. `report` is the path of a page to write about the measured table.
    """
    if report is not None:
        from acompass.pages.write import require_files

        require_files(report, [table, against])
    parsed = None if policy is None else as_policy(policy)
    asked = assign_roles(None if parsed is None else parsed.tree, qi, sensitive, weight)
    measures = measure_table(
        table,
        asked,
        against=against,
        population=population,
        below=below,
        delimiter=delimiter,
        memory_limit=memory_limit,
    )
    if report is not None:
        _report(report, table, against, parsed, asked, measures, delimiter, memory_limit)
    return measures


def _report(
    path: str | os.PathLike[str],
    table: Any,
    against: Any,
    policy: Policy | None,
    roles: Roles,
    measures: Measures,
    delimiter: str | None,
    memory_limit: str | None,
) -> None:
    from acompass.pages.request import ReportRequest
    from acompass.pages.write import write_report

    request = ReportRequest(
        command="measure",
        before=table if against is None else against,
        after=None if against is None else table,
        policy=policy,
        roles=roles,
        journalist=measures.journalist,
        delimiter=delimiter,
        memory_limit=memory_limit,
    )
    write_report(path, request)
