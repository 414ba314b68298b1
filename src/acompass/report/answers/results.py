"""Describe results, plans and diagnostics: verdicts, counts, actions and values in words.

`run` and `check` import this module, so it does not import other kinds of answers."""

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, assert_never

from acompass.dataclasses import replace
from acompass.errors.catalog import page_command
from acompass.errors.diagnostics import AcompassError, Diagnostic, Source
from acompass.errors.display import count_text, on_one_line
from acompass.language.program.effects import ActionName
from acompass.language.text.tokens import policy_line, spell_probability, spell_string
from acompass.report import document as doc
from acompass.result import NO_CHECK, CheckedFolder, Note, Plan, RequirementOutcome, Result

if TYPE_CHECKING:
    from acompass.author.answers import ClauseCheck, RuleCheck
    from acompass.reason.lint import Findings

#: headings for the columns that the policy never names, in a check and in a run
UNNAMED = "columns that the policy never names"
RELEASED = f"{UNNAMED}, released unchanged"

#: the heading for what a rule leaves to judgment
LEFT_OUT = "not checked, because no clause can say it"

VIOLATED, REPAIRED, TO_REPAIR = "violated", "repaired", "would be repaired"


def describe_result(result: Result, context: doc.Context) -> Iterator[doc.Block]:
    return _describe_run(result, context) if result.performed else _describe_check(result, context)


def _describe_check(result: Result, context: doc.Context) -> Iterator[doc.Block]:
    records, found = count_text(result.records_in, "record") + dropped_count(result), verdict_on_all(result)
    yield doc.headline("Check", context, found, _is_good(result))
    yield doc.Either(rich=[doc.Paragraph(records)])
    yield from requirements_table(result)
    yield remarks(result, UNNAMED, f"{records}, {found}")
    for outcome in result.requirements:
        yield from _sample(outcome, f"line {outcome.line}")


def _describe_run(result: Result, context: doc.Context) -> Iterator[doc.Block]:
    records = records_in_and_out(result)
    trace = f", {_trace_count(result)}" if result.trace_used else ""
    found = (records if result.ok else run_failure(result)) + no_check_words(result)
    yield doc.headline("Run", context, found, _is_good(result))
    shown = (records * (not result.ok), context.not_written)
    yield doc.Either(rich=[doc.Paragraph(words) for words in shown if words])
    yield from requirements_table(result)
    yield remarks(result, RELEASED, f"{records}{trace}{no_check_words(result)}")


def describe_folder(folder: CheckedFolder, context: doc.Context) -> Iterator[doc.Block]:
    """The report of each policy; text has its name above it."""
    for policy, answer in folder.checked:
        yield doc.Either(text=[doc.Paragraph(on_one_line(policy))])
        if isinstance(answer, AcompassError):
            yield from describe_error(answer, context)
        else:
            yield from describe_result(answer, replace(context, file=policy))
    yield doc.Bullets([unchecked_text(folder.unchecked)] if folder.unchecked else [])


def unchecked_text(policies: Sequence[str]) -> str:
    return f"not checked, because no table is named: {', '.join(map(on_one_line, policies))}"


def describe_rule_check(check: "RuleCheck", context: doc.Context) -> Iterator[doc.Block]:
    records, found = count_text(check.records_in, "record"), rule_verdict(check)
    yield doc.headline("Check", context, found, check.ok)
    source = doc.Phrase((doc.Code(check.rule), f": {check.title}. Source of {check.dated.isoformat()}: {check.source}"))
    yield doc.Either(rich=[doc.Paragraph(source), doc.Paragraph(records)])
    rows = [_clause_row(each) for each in check.clauses]
    yield doc.Table("Clauses", ("clause", "verdict", "affected", "it asks for"), rows, "llrl", is_cut=True)
    yield doc.Bullets([*_clause_remarks(check), *_rule_remarks(check)])
    if check.leaves_out:
        yield doc.Section(LEFT_OUT, [doc.Bullets(check.leaves_out)])
    yield doc.Either(text=[doc.Paragraph(f"{records}; {found}")])
    for clause in check.clauses:
        for outcome in clause.requirements:
            yield from _sample(outcome, f"clause {clause.name}")


def _clause_row(clause: "ClauseCheck") -> tuple[doc.Words, ...]:
    tone: doc.Tone = "bad" if not clause.holds else "good" if clause.is_checked else "none"
    return clause.name, doc.Verdict(clause_verdict(clause), tone), clause_count(clause), clause.title


def clause_verdict(clause: "ClauseCheck") -> str:
    if not clause.is_checked:
        return "not checked"
    return "holds" if clause.holds else VIOLATED


def clause_count(clause: "ClauseCheck") -> str:
    return "" if clause.worst is None else affected_count(clause.worst)


def rule_verdict(check: "RuleCheck") -> str:
    """A clause about columns that the table does not have, or that were not recognized, says nothing about it."""
    changed = f" ({'; '.join(check.changed)})" if check.changed else ""
    if check.violated:
        return f"the table violates {count_text(len(check.violated), 'clause')} of {check.rule}{changed}"
    unchecked = sum(not each.is_checked for each in check.clauses)
    partly = sum(each.dropped > 0 for each in check.clauses)
    limit = f"; {unchecked} of {len(check.clauses)} clauses not checked" if unchecked else ""
    limit += f"; {partly} of {len(check.clauses)} checked without incomplete records" if partly else ""
    return f"the table satisfies every clause of {check.rule} that can be checked{changed}{limit}"


def _clause_remarks(check: "RuleCheck") -> Iterator[doc.Words]:
    for clause in check.clauses:
        if clause.problem is not None:
            yield f"{clause.name} cannot be evaluated, so it is violated: {clause.problem}"
        for outcome in clause.requirements:
            said = [doc.Code(policy_line(outcome.text))] if len(clause.requirements) > 1 else []
            left_out = check.records_in - outcome.records
            if left_out:
                where = (" of ", *said) if said else ()
                yield doc.Phrase((f"{clause.name} leaves out {count_text(left_out, 'incomplete record')}", *where))
            if outcome.is_violated and said:
                yield doc.Phrase((f"{clause.name} is violated by {affected_count(outcome)} in ", *said))


def _rule_remarks(check: "RuleCheck") -> Iterator[doc.Words]:
    for own, names in check.columns.items():
        yield doc.Phrase(("the rule's ", doc.Code(own), ": ", *doc.code_names(map(on_one_line, names))))
    if check.others:
        others = doc.code_names(map(on_one_line, check.others))
        yield doc.Phrase(("columns that were not recognized as the rule's, to be judged by hand: ", *others))
    yield from (f"note: {note_text(note)}" for note in check.notes)
    unchecked = [each.name for each in check.clauses if not each.is_checked]
    if unchecked:
        yield f"not checked, because no column was recognized as theirs: {', '.join(unchecked)}"


def describe_plan(plan: Plan, context: doc.Context) -> Iterator[doc.Block]:
    summary = f"{records_in_and_out(plan.result, 'would be left')}; nothing was written{no_check_words(plan.result)}"
    yield doc.headline("Plan", context, summary, _is_good(plan.result))
    yield from requirements_table(plan.result, TO_REPAIR)
    yield remarks(plan.result, RELEASED, summary)
    yield doc.Either(rich=[doc.CodeBlock("\n".join(plan.stages), "Stages")])


def run_failure(result: Result) -> str:
    """What is wrong with the output of a run, as a heading."""
    failed = sum(outcome.is_failed_check for outcome in result.requirements)
    found = [f"{count_text(failed, 'requirement')} without an action violated"] * bool(failed)
    broken = [f"{count_text(len(result.broken), 'assertion')} violated by the output"] * bool(result.broken)
    return ", ".join([*found, *broken])


def _is_good(result: Result) -> bool | None:
    """The tone of a headline: neutral if nothing was checked (D40)."""
    return None if result.checks_nothing else result.ok


def no_check_words(result: Result) -> str:
    return f"; {NO_CHECK}" if result.checks_nothing else ""


def requirements_table(result: Result, repaired: str | None = None) -> Iterator[doc.Table]:
    """`repaired` is the verdict on a violated assertion whose action will be performed; by default, the verdict of the
    run, with the effect of each action, or of the check."""
    if result.requirements:
        is_verified = any(outcome.after is not None for outcome in result.requirements)
        output = ("output",) * is_verified
        header = ("line", "verdict", "affected", "action", *output, "requirement")
        rows = [_requirement_row(each, result, repaired, is_verified) for each in result.requirements]
        yield doc.Table("Requirements", header, rows, f"rlrl{'l' * is_verified}l", is_cut=True)


def _requirement_row(
    outcome: RequirementOutcome, result: Result, repaired: str | None, is_verified: bool
) -> tuple[doc.Words, ...]:
    word = verdict(outcome, repaired or repair_word(result))
    action = action_taken(outcome) if result.performed and repaired is None else outcome.action or ""
    text = doc.Code(policy_line(outcome.text))
    output = (doc.Verdict(output_verdict(outcome), _output_tone(outcome)),) * is_verified
    return str(outcome.line), doc.Verdict(word, _tone(outcome, word)), affected_count(outcome), action, *output, text


def output_verdict(outcome: RequirementOutcome) -> str:
    """Whether the assertion holds for the output of a run, and how that is known (D33)."""
    match outcome.after:
        case None:
            return ""
        case "proved":
            return "proved"
        case "holds":
            return "checked"
        case "violated":
            return "violated (accepted)" if outcome.is_accepted else "violated"
        case _:
            assert_never(outcome.after)


def _output_tone(outcome: RequirementOutcome) -> doc.Tone:
    if outcome.after is None:
        return "none"
    return "good" if outcome.after != "violated" else "repaired" if outcome.is_accepted else "bad"


def _tone(outcome: RequirementOutcome, word: str) -> doc.Tone:
    return "good" if outcome.holds else "bad" if word == VIOLATED else "repaired" if outcome.is_violated else "none"


def remarks(result: Result, unnamed: str, summary: str) -> doc.Either:
    """Text ends with the summary, which is the heading of the other formats."""
    found = list[doc.Words](f"note: {note_text(note)}" for note in result.notes)
    text = list(found)
    if result.unnamed:
        text.append(f"{unnamed}: {', '.join(map(on_one_line, result.unnamed))}")
        found.append(doc.Phrase((f"{unnamed}: ", *doc.code_names(result.unnamed))))
    trace = [_trace_count(result)] if result.trace_used else []
    return doc.Either(text=[doc.Bullets([*text, summary])], rich=[doc.Bullets([*trace, *found])])


def _trace_count(result: Result) -> str:
    return f"{count_text(result.trace_used, 'value')} of the trace used"


def _sample(outcome: RequirementOutcome, violated: str) -> Iterator[doc.Block]:
    """The violating classes or records, if the call requested them."""
    sample = outcome.sample
    if sample is not None:
        caption = f"{violated} is violated by"
        text = [[on_one_line(str(value)) for value in row] for row in sample.rows]
        rich = [[doc.Code(value_text(value)) for value in row] for row in sample.rows]
        yield doc.Either(
            text=[doc.Table(caption, sample.columns, text, is_titled=True)],
            rich=[doc.Table(caption, [*map(doc.Code, sample.columns)], rich, is_titled=True, is_private=True)],
        )


def verdict(outcome: RequirementOutcome, repaired: str = VIOLATED) -> str:
    """`repaired` is the verdict on a violated assertion that has an action."""
    match outcome.holds:
        case None:
            return "no verdict"
        case True:
            return "holds"
        case False:
            return VIOLATED if outcome.action is None else repaired


def repair_word(result: Result) -> str:
    """The verdict on a violated assertion that has an action; a check performs no actions."""
    return REPAIRED if result.performed else VIOLATED


def affected_count(outcome: RequirementOutcome) -> str:
    return f"{outcome.affected:,} of {outcome.records:,}"


def action_taken(outcome: RequirementOutcome) -> str:
    """What a run did for a requirement."""
    return "nothing" if outcome.holds and outcome.action is not None else action_effect(outcome)


def action_effect(outcome: RequirementOutcome) -> str:
    """What the action did to the affected records; not how many of them were drawn (X5, probabilities)."""
    chance = outcome.probability
    likely = "" if chance is None else f" with probability {spell_probability(chance)}"
    return f"{_ACTION_WORDS[outcome.action]}{likely}"


_ACTION_WORDS: dict[ActionName | None, str] = {
    "REJECT": "rejected",
    "REPLACE": "replaced",
    "RANDOM": "randomized",
    "GENERALIZE": "generalized",
    "PSEUDONYM": "pseudonymized",
    "SHIFT": "shifted",
    "ADD RANDOM": "random numbers added",
    "MICROAGGREGATE": "microaggregated",
    "DROP": "columns dropped",
    None: "only checked",
}


def records_in_and_out(result: Result, out: str = "out") -> str:
    return f"{count_text(result.records_in, 'record')} in{dropped_count(result)}, {result.records_out:,} {out}"


def dropped_count(result: Result) -> str:
    return f", {result.dropped:,} dropped as incomplete" if result.dropped else ""


def verdict_on_all(result: Result) -> str:
    violated = sum(outcome.is_violated for outcome in result.requirements)
    if violated:
        return f"{violated:,} of {count_text(len(result.requirements), 'requirement')} violated"
    if result.checks_nothing:
        return NO_CHECK
    hold = all(outcome.holds for outcome in result.requirements)
    return "every requirement holds" if hold else "no requirement is violated"


def note_text(note: Note) -> str:
    return note.text if note.line is None else f"line {note.line}: {note.text}"


def value_text(value: Any) -> str:
    """A value from any column, possibly missing."""
    match value:
        case None:
            return "missing"
        case str():
            return on_one_line(spell_string(value))
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case Fraction():
            rounded = round(value, 6)
            return f"{'' if rounded == value else 'about '}{float(rounded)}"
        case datetime.date():
            return value.isoformat()
        case _:
            return on_one_line(str(value))


def describe_findings(findings: "Findings", context: doc.Context) -> Iterator[doc.Block]:
    found = count_text(len(findings), "finding") if findings else "nothing found"
    yield doc.headline("Lint", replace(context, file=context.name or findings.name), found, not findings)
    yield _diagnostics_blocks(findings, findings.text, findings.name, context)


def describe_error(error: AcompassError, context: doc.Context) -> Iterator[doc.Block]:
    place = () if error.name is None else (" in ", doc.Code(error.name))
    yield doc.Heading(doc.Phrase((count_text(len(error.diagnostics), "error"), *place)), 2, "bad")
    yield _diagnostics_blocks(error.diagnostics, error.source, error.name, context)


def _diagnostics_blocks(
    diagnostics: Sequence[Diagnostic], source: str | None, name: str | None, context: doc.Context
) -> doc.Either:
    """Text shows the lines that a diagnostic points at."""
    from acompass.errors.rendering import render_text

    if not diagnostics:
        return doc.Either(text=[doc.Paragraph("nothing found")])
    text, most = None if source is None else Source(source), context.most
    rows = [_diagnostic_row(each, text) for each in diagnostics[:most]]
    more = [f"and {len(diagnostics) - most:,} more"] if len(diagnostics) > most else []
    page = f"`{page_command(diagnostics[0].code)}` prints a page about a code, with an example and its fix."
    table = doc.Table("Findings", ("line", "code", "finding", "help"), rows, "r")
    return doc.Either(
        text=[doc.CodeBlock(render_text(diagnostics, source, name, context.style.color, most))],
        rich=[table, *map(doc.Paragraph, (*more, page))],
    )


def _diagnostic_row(diagnostic: Diagnostic, source: Source | None) -> tuple[doc.Words, ...]:
    labels = () if source is None else diagnostic.labels
    places = [source.position(label.span.start)[0] for label in labels] if source is not None else []
    notes = [f"line {line}: {label.text}" for line, label in zip(places, labels, strict=True) if label.text]
    line = str(places[0]) if places else ""
    help_ = () if diagnostic.help is None else diagnostic.help.splitlines()
    return line, diagnostic.code, doc.Lines((diagnostic.message, *notes)), doc.Lines(help_)
