"""The calls of a session about columns that a policy randomizes."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from acompass.arguments import validated
from acompass.checked.parameters import ParamValue
from acompass.engines.local_dates import date_formats
from acompass.engines.missing import missing_options
from acompass.opened import Opened
from acompass.options import DatesArgument, MissingArgument, ReadingOptions
from acompass.policy import Policy, as_policy

if TYPE_CHECKING:
    from acompass.estimates import Estimate
    from acompass.perturbation import Perturbation


class Perturbing(Opened):
    """A session that writes policies for PRAM, and estimates what a column was before one."""

    @validated
    def pram(
        self,
        column: str,
        keep: str | None = None,
        *,
        matrix: str | os.PathLike[str] | None = None,
        uniform: bool = False,
        round: int | None = None,  # noqa: A002
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        output: str | os.PathLike[str] | None = None,
    ) -> "Perturbation":
        """Write lines that randomize a column: a record keeps its value with probability `keep`."""
        from acompass.pram.flow import pram_policy
        from acompass.pram.request import request_of
        from acompass.tables.policy_files import require_place, write_policy

        request = request_of(column, keep, matrix, uniform, round)
        path = None if output is None else os.fspath(output)
        if path is not None:
            require_place(path, self._table, () if request.matrix is None else (request.matrix,))
        with self._calling():
            policy = pram_policy(self._source, request, self._reading_options(missing, dates), path)
        if path is not None:
            write_policy(path, policy.text)
        return policy

    @validated
    def estimate(
        self,
        policy: Policy | str,
        column: str,
        *,
        params: Mapping[str, ParamValue] | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        paper: bool = False,
    ) -> "Estimate":
        """Estimate the distribution of a column before the policy, from this table, which it has left."""
        from acompass.estimate.flow import estimate_column

        parsed = as_policy(policy, paper)
        with self._calling():
            reading = self._reading_options(missing, dates)
            return estimate_column(self._source, parsed, params or {}, column, reading)

    def _reading_options(
        self, missing: MissingArgument | None, dates: DatesArgument | None
    ) -> ReadingOptions:
        by_missing, by_dates = self._reading(missing, dates)
        names = self.columns
        return ReadingOptions(missing_options(by_missing, names), date_formats(by_dates, names))
