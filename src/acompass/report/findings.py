"""What JUnit and SARIF report of an answer: a case for each requirement, claim or diagnostic, and a result at a line of
the policy for each that fails. CI services show JUnit XML as test cases, and code hosts SARIF 2.1.0 at the lines."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from io import StringIO
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from acompass.author.answers import ClauseCheck, RuleCheck
from acompass.dataclasses import dataclass, replace
from acompass.errors.catalog import page_command
from acompass.errors.diagnostics import AcompassError, Diagnostic, Edit, Fix, Source, Span
from acompass.errors.display import count_text
from acompass.errors.rendering import render_text
from acompass.language.text.tokens import policy_line
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.compare.answer import Comparison, Releases
from acompass.reason.lint import Findings
from acompass.report.document import STREAM, Context
from acompass.result import NO_CHECK, CheckedFolder, RequirementOutcome, Result
from acompass.version import __version__

#: the outcome of a case that does not pass
Ending: TypeAlias = Literal["failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of result."""

    id: str
    description: str
    help: str
    level: str = "error"
    link: str | None = None  # to a page about it


@dataclass(frozen=True, slots=True)
class Place:
    """A result at a line of the policy, or where the diagnostic points."""

    rule: Rule
    message: str
    line: int = 1
    diagnostic: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    ending: Ending | None = None  # the case passes if None
    type: str | None = None
    message: str = ""
    details: str | None = None
    place: Place | None = None  # None if SARIF does not report it


class Report(NamedTuple):
    file: str  # the policy
    rules: Sequence[Rule]
    findings: Sequence[Finding]
    source: Source | None = None  # the text that diagnostics point into
    source_file: str | None = None


def find_all(answer: Any, context: Context) -> list[Report]:
    """A report for each policy of the answer."""
    if isinstance(answer, CheckedFolder):
        return [_find(each, replace(context, file=policy)) for policy, each in answer.checked]
    return [_find(answer, context)]


def _find(answer: Any, context: Context) -> Report:
    file = context.file or "policy"
    match answer:
        case Result():
            return _find_in_result(answer, file)
        case RuleCheck():
            return _find_in_rule(answer, file)
        case Proof():
            return Report(file, [_REFUTED, _UNDECIDED], [_proved_claim(claim) for claim in answer.claims])
        case Comparison():
            return Report(file, [_LOST, _NOT_KEPT, _RELEASED, _NOT_KNOWN], list(_comparison(answer, context.texts)))
        case Findings():
            shown, source = answer[: context.most], Source(answer.text)
            found = [_finding(each, answer.text, source, file) for each in shown]
            return Report(file, _code_rules(shown), found or [Finding("lint")], source)
        case AcompassError():
            shown, text = answer.diagnostics[: context.most], answer.source
            place = None if text is None else Source(text)
            return Report(file, _code_rules(shown), [*map(_error, shown)], place, answer.name)
        case _:
            raise TypeError(f"no findings for {type(answer).__name__}")


def _find_in_result(result: Result, file: str) -> Report:
    found = [_requirement(each, file) for each in result.requirements]
    if not result.checks_nothing:
        return Report(file, [_VIOLATED], found)
    unchecked = Finding(NO_CHECK, "skipped", message=_UNCHECKED.description, place=Place(_UNCHECKED, NO_CHECK))
    return Report(file, [_VIOLATED, _UNCHECKED], [*found, unchecked])


_UNCHECKED = Rule(
    "nothing-checked",
    "no requirement of the policy says anything about this table",
    "Add a requirement that the table must satisfy, such as `EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5;`",
    "warning",
)
_VIOLATED = Rule(
    "requirement-violated",
    "a requirement of the policy is violated",
    "`acompass run` performs the actions of a policy. `acompass check --show 3` shows violating records.",
)


def _requirement(outcome: RequirementOutcome, file: str) -> Finding:
    name = f"line {outcome.line}: {policy_line(outcome.text)}"
    match outcome.holds:
        case None:
            return Finding(name, "skipped", message="no verdict")
        case True:
            return Finding(name)
        case False:
            message = f"violated: {outcome.affected:,} of {count_text(outcome.records, 'record')} affected"
            details = f"{file}:{outcome.line}\n{outcome.text}"
            return Finding(name, "failure", "violated", message, details, Place(_VIOLATED, message, outcome.line))


def _find_in_rule(check: RuleCheck, file: str) -> Report:
    """A case for each clause. A clause about columns that the table does not have was not evaluated."""
    help_ = f"`acompass rules show {check.rule}` prints the rule. `acompass check --show 3` shows violating records."
    rules = {
        each.name: Rule(f"{check.rule}/{each.name}", f"{check.title}: {each.title}", help_, link=check.source)
        for each in check.clauses
    }
    return Report(file, [*rules.values()], [_clause(each, rules[each.name]) for each in check.clauses])


def _clause(clause: ClauseCheck, rule: Rule) -> Finding:
    name = f"{clause.name}: {clause.title}"
    if not clause.is_checked:
        return Finding(name, "skipped", message="no column was recognized as its own")
    if clause.holds:
        return Finding(name)
    from acompass.report.answers.results import clause_count

    message = clause.problem or f"{clause_count(clause)} records affected"
    details = "\n".join(policy_line(each.text) for each in clause.requirements if each.is_violated)
    place = Place(rule, f"{clause.title}: violated, {message}")
    return Finding(name, "failure", "violated", f"violated: {message}", details or None, place)


_UNDECIDED_HELP = "Give the types of the columns with `--types` or `--table`, or more time with `--deadline`."
_REFUTED = Rule(
    "claim-refuted",
    "the policy can produce a table that violates the assertion",
    "`acompass prove` shows a table for which the policy does not establish the assertion. Add a later line "
    "that enforces it.",
)
_UNDECIDED = Rule(
    "claim-undecided",
    "it is not known whether the assertion holds for every table the policy can produce",
    _UNDECIDED_HELP,
    "warning",
)


def _proved_claim(claim: Claim) -> Finding:
    """A claim given on the command line has no line in the policy, so place it at the first line."""
    if claim.verdict is ClaimVerdict.PROVED:
        return _claim(claim, None)
    rule = _REFUTED if claim.verdict is ClaimVerdict.REFUTED else _UNDECIDED
    return _claim(claim, Place(rule, _claim_message(claim.verdict, claim), claim.line or 1))


def _claim_message(verdict: str, claim: Claim) -> str:
    return f"{verdict}: {policy_line(claim.text)}\n{claim.reason}".rstrip()


def _claim(claim: Claim, place: Place | None) -> Finding:
    from acompass.report.answers.proofs import claim_section
    from acompass.report.text import document_text

    name = f"{'claim' if claim.line is None else f'line {claim.line}'}: {policy_line(claim.text)}"
    if claim.verdict is ClaimVerdict.PROVED:
        return Finding(name, place=place)
    first, *_ = claim.reason.splitlines() or [""]
    details = document_text([claim_section(claim)]).removesuffix("\n")
    return Finding(name, "failure", claim.verdict, f"{claim.verdict}: {first}", details, place)


_LOST = Rule(
    "guarantee-lost",
    "the policy no longer guarantees what it guaranteed before",
    "`acompass compare --impact` shows a counterexample. Keep the old requirement, or a stricter one.",
)
_NOT_KEPT = Rule(
    "guarantee-undecided",
    "it is not known whether the policy still guarantees what it guaranteed before",
    _UNDECIDED_HELP,
    "warning",
)
_RELEASED = Rule(
    "more-released",
    "the policy releases more than it released before",
    "`acompass compare --impact` shows a table and what is new. Keep the old requirements, or remove more.",
)
_NOT_KNOWN = Rule(
    "release-undecided",
    "it is not known whether the policy releases more than it released before",
    _UNDECIDED_HELP,
    "warning",
)


def _comparison(comparison: Comparison, texts: tuple[str, str]) -> Iterator[Finding]:
    """Code hosts show a result in a review only at a changed line, so place it at the nearest change."""
    changes = _Changes(*texts)
    for claim in comparison.old_by_new:
        yield _claim(claim, None if comparison.ok else _lost_place(claim, changes))
    name = "releases no more than the old policy"
    if comparison.releases in (Releases.SAME, Releases.NO_MORE):
        yield Finding(name)
        return
    from acompass.report.answers.proofs import release_lines, releases_text

    heading, lines = releases_text(comparison), release_lines(comparison)
    rule = _RELEASED if comparison.releases is Releases.MORE else _NOT_KNOWN
    place = Place(rule, "\n".join([heading, *lines]), changes.new_line(1))
    yield Finding(name, "failure", rule.id, heading, "\n".join(lines), place)


def _lost_place(claim: Claim, changes: "_Changes") -> Place | None:
    match claim.verdict:
        case ClaimVerdict.PROVED:
            return None
        case ClaimVerdict.REFUTED:
            rule, words = _LOST, "no longer guaranteed"
        case ClaimVerdict.UNDECIDED:
            rule, words = _NOT_KEPT, "not known to be kept"
    return Place(rule, _claim_message(words, claim), changes.new_line(claim.line or 1))


class _Change(NamedTuple):
    """Lines of the old text, counted from 1, and the line of the new text that they became."""

    first: int
    last: int
    new: int

    def distance(self, line: int) -> int:
        return max(self.first - line, line - self.last, 0)


class _Changes:
    """The lines that differ between two texts."""

    def __init__(self, old: str, new: str):
        before, after = _lines(old), _lines(new)
        operations = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        self._last = len(after)
        self._changes = [
            _Change(first + 1, max(first + 1, end), start + 1)
            for kind, first, end, start, _ in operations
            if kind != "equal"
        ]

    def new_line(self, line: int) -> int:
        """The same line if the text did not change, for example if only a parameter differs."""
        same = _Change(line, line, line)
        nearest = min(self._changes, key=lambda change: change.distance(line), default=same)
        return max(1, min(nearest.new, self._last))


def _lines(text: str) -> list[str]:
    """Split lines as `Source` does: at a line feed, a carriage return, or both together."""
    return StringIO(text, newline=None).readlines()


def _code_rules(diagnostics: Sequence[Diagnostic]) -> list[Rule]:
    from acompass.errors.catalog import CODES

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    help_ = "`{}` prints a page with an example and its fix."
    return [Rule(code, CODES.get(code, code), help_.format(page_command(code))) for code in codes]


def _finding(diagnostic: Diagnostic, text: str, source: Source, file: str) -> Finding:
    places = [source.position(label.span.start) for label in diagnostic.labels]
    name = f"line {places[0][0]}: {diagnostic.code}" if places else diagnostic.code
    details, place = render_text([diagnostic], text, file), _place(diagnostic)
    return Finding(name, "failure", diagnostic.code, diagnostic.message, details, place)


def _error(diagnostic: Diagnostic) -> Finding:
    return Finding(diagnostic.code, "error", diagnostic.code, diagnostic.message, place=_place(diagnostic))


def _place(diagnostic: Diagnostic) -> Place:
    message = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"
    return Place(Rule(diagnostic.code, "", "", str(diagnostic.severity)), message, diagnostic=diagnostic)


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def findings_to_junit(answer: Any, context: Context) -> str:
    """One suite for each policy, with a case for each requirement, claim or finding."""
    suites = Xml.Element("testsuites")
    suites.extend(map(_suite, find_all(answer, context)))
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _suite(report: Report) -> Xml.Element:
    endings = [finding.ending for finding in report.findings]
    suite = Xml.Element(
        "testsuite",
        name=_replace_illegal(report.file),
        tests=str(len(endings)),
        failures=str(endings.count("failure")),
        errors=str(endings.count("error")),
    )
    for finding in report.findings:
        _add_case(suite, finding, report.file)
    return suite


def _add_case(suite: Xml.Element, finding: Finding, file: str) -> None:
    element = Xml.SubElement(suite, "testcase", classname=_replace_illegal(file), name=_replace_illegal(finding.name))
    if finding.ending is None:
        return
    attributes = {} if finding.type is None else {"type": finding.type}
    ending = Xml.SubElement(element, finding.ending, {**attributes, "message": _replace_illegal(finding.message)})
    ending.text = None if finding.details is None else _replace_illegal(finding.details)


def _replace_illegal(text: str) -> str:
    """Replace control characters and lone surrogates, which XML 1.0 forbids and a policy may contain."""
    return "".join(letter if _is_legal(ord(letter)) else "\ufffd" for letter in text)


def _is_legal(point: int) -> bool:
    return point in (0x9, 0xA, 0xD) or 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point > 0xFFFF


def findings_to_sarif(answer: Any, context: Context) -> dict[str, Any]:
    """One result for each requirement, claim or diagnostic that fails, with its fixes as edits."""
    reports = find_all(answer, context)
    rules = {
        each.id: rule(each.id, each.description, each.help, each.link) for report in reports for each in report.rules
    }
    places = [(report, finding.place) for report in reports for finding in report.findings if finding.place is not None]
    return log([*rules.values()], [_result(report, place) for report, place in places])


def _result(report: Report, place: Place) -> dict[str, Any]:
    file = report.file if report.file == STREAM else report.source_file or report.file
    region, fixes = {"startLine": place.line}, []
    if report.source is not None and place.diagnostic is not None and place.diagnostic.labels:
        region = _region(place.diagnostic.labels[0].span, report.source)
        fixes = [_fix(fix, report.source, file) for fix in place.diagnostic.fixes]
    found = result(place.rule.id, place.rule.level, place.message, file, region)
    return {**found, "fixes": fixes} if fixes else found


def _fix(fix: Fix, source: Source, file: str) -> dict[str, Any]:
    change = {"artifactLocation": artifact(file), "replacements": [_replacement(edit, source) for edit in fix.edits]}
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


def rule(identifier: str, description: str, help_: str, link: str | None = None) -> dict[str, Any]:
    found = {"id": identifier, "shortDescription": {"text": description}, "help": {"text": help_}}
    return found if link is None else {**found, "helpUri": link}


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
