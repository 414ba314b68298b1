"""Render results, proofs, comparisons and diagnostics as SARIF 2.1.0, for code hosts to show at lines of a policy."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from io import StringIO
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from acompass.errors.catalog import page_command
from acompass.errors.diagnostics import Diagnostic, Edit, Fix, Source, Span
from acompass.language.text.tokens import policy_line
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.compare.answer import Comparison
from acompass.report.proof_rows import impact_heading, impact_lines
from acompass.report.words import violation
from acompass.result import Result
from acompass.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VIOLATED_RULE_ID = "requirement-violated"
_UNDECIDED_HELP = "Give the types of the columns with `--types` or `--table`, or more time with `--deadline`."


def rule(identifier: str, description: str, help_: str) -> dict[str, Any]:
    return {"id": identifier, "shortDescription": {"text": description}, "help": {"text": help_}}


_VIOLATED_RULE = rule(
    _VIOLATED_RULE_ID,
    "a requirement of the policy is violated",
    "`acompass run` performs the actions of a policy. `acompass check --show 3` shows violating records.",
)


def result_to_sarif(checked: Result, policy: str) -> dict[str, Any]:
    violated = [outcome for outcome in checked.requirements if outcome.is_violated]
    return log(
        [_VIOLATED_RULE],
        [
            result(_VIOLATED_RULE_ID, "error", violation(outcome), policy, {"startLine": outcome.line})
            for outcome in violated
        ],
    )


#: the rule and the level of each verdict that is not a proof
_CLAIM_RULE_IDS = {ClaimVerdict.REFUTED: "claim-refuted", ClaimVerdict.UNDECIDED: "claim-undecided"}
_CLAIM_LEVELS = {ClaimVerdict.REFUTED: "error", ClaimVerdict.UNDECIDED: "warning"}
_CLAIM_RULES = [
    rule(
        _CLAIM_RULE_IDS[ClaimVerdict.REFUTED],
        "the policy can produce a table that violates the assertion",
        "`acompass prove` shows a table for which the policy does not establish the assertion. Add a later line "
        "that enforces it.",
    ),
    rule(
        _CLAIM_RULE_IDS[ClaimVerdict.UNDECIDED],
        "it is not known whether the assertion holds for every table the policy can produce",
        _UNDECIDED_HELP,
    ),
]


def proof_to_sarif(proof: Proof, policy: str) -> dict[str, Any]:
    return log(
        _CLAIM_RULES, [_claim_result(claim, policy) for claim in proof.claims if claim.verdict in _CLAIM_RULE_IDS]
    )


def _claim_result(claim: Claim, policy: str) -> dict[str, Any]:
    """A claim given on the command line has no line in the policy, so place it at the first line."""
    message = f"{claim.verdict}: {policy_line(claim.text)}\n{claim.reason}".rstrip()
    region = {"startLine": claim.line or 1}
    return result(_CLAIM_RULE_IDS[claim.verdict], _CLAIM_LEVELS[claim.verdict], message, policy, region)


_LOST, _UNDECIDED, _RELEASED = "guarantee-lost", "guarantee-undecided", "more-released"
_COMPARISON_RULES = [
    rule(
        _LOST,
        "the policy no longer guarantees what it guaranteed before",
        "`acompass compare --impact` shows a counterexample. Keep the old requirement, or a stricter one.",
    ),
    rule(
        _UNDECIDED,
        "it is not known whether the policy still guarantees what it guaranteed before",
        _UNDECIDED_HELP,
    ),
    rule(
        _RELEASED,
        "the policy can release what it could not release before",
        "`acompass compare --impact` shows what. Keep the old requirement, or a stricter one.",
    ),
]
_COMPARISON_LEVELS = {_LOST: "error", _UNDECIDED: "warning", _RELEASED: "error"}


class _Change(NamedTuple):
    """Lines of the old text, counted from 1, and the line of the new text that they became."""

    first: int
    last: int
    new: int

    def distance(self, line: int) -> int:
        return max(self.first - line, line - self.last, 0)


def comparison_to_sarif(comparison: Comparison, old: str, new: str, policy: str) -> dict[str, Any]:
    """`old` and `new` are the texts of the policies, `policy` is the file of the new one.

    Code hosts show a result in a review only at a changed line, so place it at the nearest change.
    """
    after = _lines(new)
    changes = list(_changes(_lines(old), after))

    def at_change(rule_id: str, message: str, line: int) -> dict[str, Any]:
        region = {"startLine": _place(line, changes, len(after))}
        return result(rule_id, _COMPARISON_LEVELS[rule_id], message, policy, region)

    found = () if comparison.ok else _comparison_findings(comparison)
    return log(_COMPARISON_RULES, [at_change(*finding) for finding in found])


def _comparison_findings(comparison: Comparison) -> Iterator[tuple[str, str, int]]:
    """Yield the rule, the message, and the line in the old policy."""
    impact = comparison.impact
    for claim in impact.lost:
        rule_id = _LOST if claim.verdict is ClaimVerdict.REFUTED else _UNDECIDED
        yield rule_id, _lost_message(claim), claim.line or 1
    if impact.released != ():
        yield _RELEASED, "\n".join([impact_heading(impact), *impact_lines(impact)]), 1


def _lost_message(claim: Claim) -> str:
    kept = "no longer guaranteed" if claim.verdict is ClaimVerdict.REFUTED else "not known to be kept"
    return f"{kept}: {policy_line(claim.text)}\n{claim.reason}".rstrip()


def _changes(old: list[str], new: list[str]) -> Iterator[_Change]:
    for kind, first, after, start, _ in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Change(first + 1, max(first + 1, after), start + 1)


def _place(line: int, changes: list[_Change], last: int) -> int:
    """The same line if the text did not change, for example if only a parameter differs."""
    nearest = min(changes, key=lambda change: change.distance(line), default=_Change(line, line, line))
    return max(1, min(nearest.new, last))


def _lines(text: str) -> list[str]:
    """Split lines as `Source` does: at a line feed, a carriage return, or both together."""
    return StringIO(text, newline=None).readlines()


def diagnostics_to_sarif(diagnostics: Sequence[Diagnostic], source: str | None, policy: str) -> dict[str, Any]:
    """One result per diagnostic, with its fixes as edits, and one rule per code."""
    from acompass.errors.catalog import CODES

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    rules = [
        rule(code, CODES.get(code, code), f"`{page_command(code)}` prints a page with an example and its fix.")
        for code in codes
    ]
    text = None if source is None else Source(source)
    return log(rules, [_diagnostic_result(diagnostic, text, policy) for diagnostic in diagnostics])


def _diagnostic_result(diagnostic: Diagnostic, source: Source | None, policy: str) -> dict[str, Any]:
    region, fixes = {"startLine": 1}, []
    if source is not None and diagnostic.labels:
        region = _region(diagnostic.labels[0].span, source)
        fixes = [_fix(fix, source, policy) for fix in diagnostic.fixes]
    found = result(diagnostic.code, str(diagnostic.severity), _diagnostic_message(diagnostic), policy, region)
    return {**found, "fixes": fixes} if fixes else found


def _diagnostic_message(diagnostic: Diagnostic) -> str:
    return diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"


def _fix(fix: Fix, source: Source, policy: str) -> dict[str, Any]:
    change = {
        "artifactLocation": artifact(policy),
        "replacements": [_replacement(edit, source) for edit in fix.edits],
    }
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.span, source), "insertedContent": {"text": edit.text}}


def _region(span: Span, source: Source) -> dict[str, int]:
    span = source.clamp(span)
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def log(rules: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    driver = {"name": "acompass", "version": __version__, "rules": list(rules)}
    run = {"tool": {"driver": driver}, "results": list(results), "columnKind": "unicodeCodePoints"}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def result(rule_id: str, level: str, message: str, policy: str, region: dict[str, int]) -> dict[str, Any]:
    place = {"artifactLocation": artifact(policy), "region": region}
    return {
        "ruleId": rule_id,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }


def artifact(policy: str) -> dict[str, str]:
    path = PurePath(policy)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"uri": uri}
