"""Render a page: header, policy with verdicts and proofs, sections on measures, and certificate."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.resources import files

from acompass.author.answers import ClauseCheck, RuleCheck
from acompass.errors.display import count_text
from acompass.measure.answer import Loss, Measures, Persons
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.report.answers.measures import persons
from acompass.report.answers.results import (
    LEFT_OUT,
    RELEASED,
    UNNAMED,
    VIOLATED,
    action_effect,
    affected_count,
    clause_count,
    clause_verdict,
    note_text,
    output_verdict,
    repair_word,
    rule_verdict,
    verdict,
)
from acompass.report.document import as_sentence
from acompass.report.html import Html, about, badge, row, section, share_bar, table, tag
from acompass.report.page.certificate import EMPTY_BLOCK, Certificate, FileHash, Reader, embed_certificate
from acompass.report.page.content import Command, PageContent, RequirementRow
from acompass.report.page.front import front_section, limits_section
from acompass.report.page.measures import (
    classes_section,
    columns_section,
    k_label,
    loss_section,
    noun_of,
    percent,
    quasi_identifiers_section,
    questions_section,
    risk_section,
    sampling_section,
    sensitive_section,
)
from acompass.result import NO_CHECK, RequirementOutcome, Result
from acompass.version import __version__

STYLE = files(__package__).joinpath("style.css").read_text(encoding="utf-8")

_TITLES: dict[Command, str] = {
    "run": "Release report",
    "check": "Check report",
    "measure": "Anonymity report",
}
_READERS: dict[Reader, str] = {
    "receiver": "recipients of the table",
    "curator": "the curator of the original table",
}
_TONES = {ClaimVerdict.PROVED: "good", ClaimVerdict.REFUTED: "bad", ClaimVerdict.UNDECIDED: "open"}
_INTERNAL_WARNING = (
    " This page contains values and counts of the original table. Do not publish it; recipients of the table get the "
    "page of "
)
#: non-breaking, so that a value stays with its parameter
_IS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"


def page_html(content: PageContent) -> str:
    title = _title(content)
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        tag("title", title),
        tag("style", Html(STYLE)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        page_header(content, title),
        tag("main", *_sections(content), id="report"),
        tag("footer", f"Made by acompass {__version__}. This page shows no records."),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
    return embed_certificate(page, content.certificate)


def _title(content: PageContent) -> str:
    kind = _TITLES[content.command]
    shown = f"Internal {kind[0].lower()}{kind[1:]}" if content.is_internal else kind
    name = _name(content.certificate)
    return shown + ("" if name is None else f": {name}")


def _name(certificate: Certificate) -> str | None:
    """The name of the output, or else of the input."""
    for hashed, what in ((certificate.output, "output"), (certificate.input, "input")):
        if hashed or what in certificate.tables:
            return hashed[0].name if hashed else certificate.tables[what]
    return None


def _sections(content: PageContent) -> Iterator[Html]:
    overview = content.overview
    yield front_section(content)
    if content.result is not None:
        yield policy_section(content, content.result)
    if content.rule is not None:
        yield rule_section(content.rule)
    if overview is not None and overview.measures:
        yield from _measures(content)
    if overview is not None and overview.loss is not None:
        yield loss_section(overview.loss, content.is_internal)
    if overview is not None and overview.columns:
        yield columns_section(overview.columns, content.is_internal)
    yield limits_section()
    yield certificate_section(content.certificate)


def _measures(content: PageContent) -> Iterator[Html]:
    number = content.detailed_tables
    measures, series = content.measures[-number:], content.series[-number:]
    yield classes_section(measures, series)
    yield risk_section(measures, series, content.uncounted_person)
    if measures[-1].sampling is not None:
        yield sampling_section(measures, series)
    if measures[-1].by_quasi_identifier:
        yield quasi_identifiers_section(measures, series)
    if measures[-1].sensitive:
        yield sensitive_section(measures, series)
    if content.achieved is not None and content.overview is not None and content.achieved.k is not None:
        yield questions_section(content.achieved, content.overview.unique, content.front.pseudonyms)


def page_header(content: PageContent, title: str) -> Html:
    figures = tag("dl", *_header_figures(content), class_="figures")
    return tag("header", tag("h1", title), *_warning(content), about(*_verdict(content)), figures)


def _warning(content: PageContent) -> Iterator[Html]:
    if content.is_internal:
        page = tag("code", "--report")
        yield tag("p", tag("strong", "Internal."), _INTERNAL_WARNING, page, ".", class_="internal")


def _verdict(content: PageContent) -> Iterator[str]:
    result = content.result
    if result is not None and result.checks_nothing:
        yield badge(NO_CHECK, "open")
    elif result is not None and content.command == "run":
        wrong = "the output violates the policy" if result.broken else "a check is violated"
        yield badge("every check holds", "good") if result.ok else badge(wrong, "bad")
        if not (result.ok or content.certificate.output or "output" in content.certificate.tables):
            yield " No table was written."
    elif result is not None:
        yield badge("every requirement holds", "good") if result.ok else badge("violated", "bad")
    if content.rule is not None:
        yield badge(rule_verdict(content.rule), "good" if content.rule.ok else "bad")
    elif content.certificate.policy is not None:
        yield f" Policy {content.certificate.policy.name}"


def _header_figures(content: PageContent) -> Iterator[Html]:
    result, measures = content.result, content.measures
    parameters = content.certificate.parameters
    if parameters:
        named = "parameter" if len(parameters) == 1 else "parameters"
        yield _figure(named, ", ".join(f"{name}{_IS}{value}" for name, value in parameters.items()))
    if result is not None:
        yield from _record_figures(result)
    elif content.rule is not None:
        yield _figure("records", f"{content.rule.records_in:,}")
    elif measures:
        yield _figure("records", _arrow([persons(each.records) for each in measures]))
        yield from _record_difference(measures)
    if content.overview is not None and content.overview.loss is not None:
        yield _loss_figure(content.overview.loss, measures)
    if measures:
        measures = measures[-content.detailed_tables :]  # nothing about the original table for a recipient
        smallest = ["none" if each.k is None else persons(each.k) for each in measures]
        yield _figure(k_label(noun_of(measures), content.uncounted_person is not None), _arrow(smallest))
        risk = "highest prosecutor risk" if content.uncounted_person is None else "highest prosecutor risk of a record"
        yield _figure(risk, _arrow([percent(each.classes.prosecutor_maximum) for each in measures]))


def _record_figures(result: Result) -> Iterator[Html]:
    if not result.performed:
        left_out = f"{result.dropped:,} incomplete, not checked" if result.dropped else ""
        yield _figure("records", f"{result.records_in:,}", left_out)
        return
    yield _figure("records", _arrow([f"{result.records_in:,}", f"{result.records_out:,}"]))
    rejected = result.records_in - result.dropped - result.records_out
    parts = [
        f"{number:,} {what}"
        for number, what in ((rejected, "rejected"), (result.dropped, "dropped as incomplete"))
        if number
    ]
    yield _lost_records(result.records_in - result.records_out, result.records_in, ", ".join(parts))


def _record_difference(measures: Sequence[Measures]) -> Iterator[Html]:
    if len(measures) > 1:
        before, after = measures[0].records, measures[-1].records
        yield _lost_records(max(before - after, 0), before, "")


def _lost_records(lost: Persons, whole: Persons, parts: str) -> Html:
    return _figure("records lost", percent(Fraction(lost) / Fraction(whole) if whole else Fraction(0)), parts)


def _loss_figure(loss: Loss, measures: Sequence[Measures]) -> Html:
    known = {each.column for each in loss.columns}
    unknown = [name for name in measures[-1].quasi_identifiers if name not in known]
    note = f"of {count_text(len(known), 'quasi-identifier')}"
    note += f"; not measured: {', '.join(unknown)}" if unknown else ""
    return _figure("loss", f"{loss.total:.4f}", note)


def _arrow(values: Sequence[str]) -> str:
    return " → ".join(values)


def _figure(name: str, value: str, note: str = "") -> Html:
    details = [tag("dd", note, class_="note")] if note else []
    return tag("div", tag("dt", name), tag("dd", value), *details)


def policy_section(content: PageContent, result: Result) -> Html:
    words = list(_introduction(content))
    items = [_requirement(row, result, content.has_counts) for row in content.requirements]
    return section(
        "The policy",
        "policy",
        *([about(*words)] if words else []),
        tag("ol", *items, class_="requirements"),
        *_remarks(content, result),
    )


def rule_section(check: RuleCheck) -> Html:
    rows = [_clause(each) for each in check.clauses]
    clauses = table("Clauses of the rule", ("clause", "it asks for", "verdict", "affected", "columns"), rows)
    matched = [row(own, ", ".join(names)) for own, names in check.columns.items()]
    return section(
        "The rule",
        "rule",
        about(f"{check.title}. Source of {check.dated.isoformat()}: ", _link(check.source)),
        clauses,
        *(tag("p", f"Note: {note_text(note)}", class_="note") for note in check.notes),
        about(
            "A clause about columns that were not recognized says nothing about this table. These columns were "
            "recognized:"
        ),
        table("Columns of the rule", ("column of the rule", "columns of the table"), matched),
        *(
            [tag("p", f"Not recognized as the rule's, to be judged by hand: {', '.join(check.others)}", class_="note")]
            if check.others
            else []
        ),
        tag("h3", as_sentence(LEFT_OUT)),
        tag("ul", *(tag("li", each) for each in check.leaves_out)),
    )


def _clause(clause: ClauseCheck) -> Html:
    tone = "bad" if not clause.holds else "good" if clause.is_checked else "open"
    counted = clause_count(clause)
    if clause.problem is not None:  # without its words, which name a file
        counted = "not evaluated: the values are not of the kind that the clause compares"
    elif clause.dropped:
        counted += f"; up to {count_text(clause.dropped, 'incomplete record')} left out"
    columns = ", ".join(clause.columns)
    return row(clause.name, clause.title, badge(clause_verdict(clause), tone), counted, columns)


def _link(source: str) -> Html:
    """Only a web page is a link: a rule may come from anyone."""
    is_page = source.startswith(("https://", "http://"))
    return tag("a", source, href=source, rel="noreferrer") if is_page else tag("span", source)


def _introduction(content: PageContent) -> Iterator[str]:
    if content.result is not None and content.result.performed:
        yield "Repaired: the assertion did not hold, so its action was performed. "
    if any(row.claim is not None for row in content.requirements):
        yield "Proved: the assertion holds for every table this policy can produce. "
    if any(row.outcome.after == "holds" for row in content.requirements):
        yield "Checked on the output: the assertion was evaluated on the released table, and it holds."


def _remarks(content: PageContent, result: Result) -> Iterator[Html]:
    if content.has_counts:
        for note in result.notes:
            yield tag("p", f"Note: {note_text(note)}", class_="note")
    if result.unnamed:
        heading = RELEASED if result.performed else UNNAMED
        yield tag("p", f"{heading.capitalize()}: {', '.join(result.unnamed)}", class_="note")


def _requirement(row: RequirementRow, result: Result, has_counts: bool) -> Html:
    outcome = row.outcome
    word = verdict(outcome, repair_word(result))
    tone = "good" if outcome.holds else "bad" if word == VIOLATED else "open"
    text = row.text if row.is_first_step else f"THEN {row.text}"
    return tag(
        "li",
        tag("div", f"line {outcome.line}", class_="line"),
        tag("div", tag("pre", tag("code", text)), *_claim_details(row.claim), class_="said"),
        tag("div", badge(word, tone), *_effect_details(outcome, result, has_counts), *_output(row), class_="effect"),
        class_=None if row.is_first_step else "step",
    )


def _effect_details(outcome: RequirementOutcome, result: Result, has_counts: bool) -> Iterator[Html]:
    performed = result.performed and outcome.action is not None
    if has_counts:
        said = action_effect(outcome) if performed else "affected"
        yield tag("div", f"{affected_count(outcome)} {said}")
        yield share_bar(outcome.affected, outcome.records, "after")
    elif performed and not outcome.holds:
        yield tag("div", action_effect(outcome))


def _output(row: RequirementRow) -> Iterator[Html]:
    """Whether the assertion holds for the output, unless its proof says so already."""
    outcome = row.outcome
    is_shown = outcome.after == "proved" and row.claim is not None and row.claim.verdict is ClaimVerdict.PROVED
    if outcome.after is not None and row.is_first_step and not is_shown:
        where = "" if outcome.after == "proved" else " on the output"
        tone = "good" if outcome.after != "violated" else "open" if outcome.is_accepted else "bad"
        yield tag("div", badge(f"{output_verdict(outcome)}{where}", tone))


def _claim_details(claim: Claim | None) -> Iterator[Html]:
    if claim is not None:
        summary = tag("summary", badge(claim.verdict, _TONES[claim.verdict]), " why")
        yield tag("details", summary, *(tag("div", step, class_="note") for step in claim.reason.splitlines()))


def certificate_section(certificate: Certificate) -> Html:
    introduction = about(
        "The hashes identify the files that this page describes. Verify them with ",
        tag("code", "acompass verify-report"),
        ". They are not a signature: anyone who can edit the page can also replace its certificate.",
    )
    files = table("Files", ("file", "name", "bytes", "SHA-256"), _file_rows(certificate))
    facts = [row(name, value) for name, value in _facts(certificate)]
    made_with = table("Made with", ("property", "value"), facts)
    return section("Certificate", "certificate-title", introduction, files, made_with, Html(EMPTY_BLOCK))


def _file_rows(certificate: Certificate) -> Iterator[Html]:
    yield from _hash_rows("policy", None if certificate.policy is None else [certificate.policy])
    yield from _hash_rows("hierarchy", certificate.hierarchies)
    yield from _hash_rows("reference table", certificate.references)
    yield from _hash_rows("input", certificate.input)
    yield from _hash_rows("output", certificate.output)
    for what, name in certificate.tables.items():
        yield row(what, tag("span", name), "", f"a table in {certificate.versions['engine']}")


def _hash_rows(what: str, files: Sequence[FileHash] | None) -> Iterator[Html]:
    for file in files or ():
        size = "" if file.bytes is None else f"{file.bytes:,}"
        digest = "only on the internal page" if file.sha256 is None else tag("code", file.sha256, class_="hash")
        yield row(what, tag("span", file.name), size, digest)


def _facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    yield "made", certificate.made
    yield "command", f"acompass {certificate.command}"
    yield "for", _READERS[certificate.reader]
    yield from certificate.versions.items()
    for name, value in certificate.parameters.items():
        yield f"parameter {name}", value
    for format_ in certificate.dates:
        yield "dates", format_
