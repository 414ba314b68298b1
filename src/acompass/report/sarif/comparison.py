"""A comparison as SARIF: what the new policy loses or releases, at the change that is nearest to it.

Code hosts show a result in a review only if its line is one of those that changed.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from io import StringIO
from typing import Any, NamedTuple

from acompass.compare.answer import Comparison
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.report.rows.comparison import impact_heading, impact_lines
from acompass.report.sarif.document import log, result, rule
from acompass.report.words import policy_line

_LOST, _UNDECIDED, _RELEASED = "guarantee-lost", "guarantee-undecided", "more-released"
_KNOWN = [
    rule(
        _LOST,
        "the policy no longer guarantees what it guaranteed before",
        "`acompass compare --impact` shows a table. Keep the old requirement, or a stricter one.",
    ),
    rule(
        _UNDECIDED,
        "it is not known whether the policy still guarantees what it guaranteed before",
        "Give the types of the columns with `--types` or `--table`, or more time with `--deadline`.",
    ),
    rule(
        _RELEASED,
        "the policy can release what it could not release before",
        "`acompass compare --impact` says what. Keep the old requirement, or a stricter one.",
    ),
]
_LEVELS = {_LOST: "error", _UNDECIDED: "warning", _RELEASED: "error"}


class _Change(NamedTuple):
    """Lines of the old text, counted from 1, and the line of the new text that they became."""

    first: int
    last: int
    new: int

    def distance(self, line: int) -> int:
        return max(self.first - line, line - self.last, 0)


def comparison_to_sarif(comparison: Comparison, old: str, new: str, policy: str) -> dict[str, Any]:
    """`old` and `new` are the texts of the policies, `policy` is the file of the new one."""
    after = _lines(new)
    changes = list(_changes(_lines(old), after))

    def at_change(rule_id: str, message: str, line: int) -> dict[str, Any]:
        region = {"startLine": _place(line, changes, len(after))}
        return result(rule_id, _LEVELS[rule_id], message, policy, region)

    found = () if comparison.ok else _findings(comparison)
    return log(_KNOWN, [at_change(*finding) for finding in found])


def _findings(comparison: Comparison) -> Iterator[tuple[str, str, int]]:
    """The rule, the message, and the line of the old policy."""
    impact = comparison.impact
    for claim in impact.lost:
        rule_id = _LOST if claim.verdict is ClaimVerdict.REFUTED else _UNDECIDED
        yield rule_id, _lost(claim), claim.line or 1
    if impact.released != ():
        yield _RELEASED, "\n".join([impact_heading(impact), *impact_lines(impact)]), 1


def _lost(claim: Claim) -> str:
    kept = "no longer guaranteed" if claim.verdict is ClaimVerdict.REFUTED else "not known to be kept"
    return f"{kept}: {policy_line(claim.text)}\n{claim.reason}".rstrip()


def _changes(old: list[str], new: list[str]) -> Iterator[_Change]:
    for kind, first, after, start, _ in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Change(first + 1, max(first + 1, after), start + 1)


def _place(line: int, changes: list[_Change], last: int) -> int:
    """Without a change of the text, as when a parameter has another value, the line itself."""
    nearest = min(changes, key=lambda change: change.distance(line), default=_Change(line, line, line))
    return max(1, min(nearest.new, last))


def _lines(text: str) -> list[str]:
    """They end as in `Source`: at a line feed, a carriage return, or the two together."""
    return StringIO(text, newline=None).readlines()
