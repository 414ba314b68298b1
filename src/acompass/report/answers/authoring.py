"""Describe what writes or explains policies: suggestions, rules, PRAM and its estimates, dbt files, lives of records.

Only an explanation shows records of a table, those that were requested."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from acompass.arguments import shell_word, spell_for_shell
from acompass.author.answers import (
    Alternative,
    DbtFiles,
    Estimate,
    Perturbation,
    Quantity,
    RulePolicy,
    Standing,
    SuggestedStep,
    Suggestion,
    ValueEstimate,
    share_text,
)
from acompass.author.rules.library import Rule, Rules
from acompass.author.rules.matching import Matching
from acompass.errors.display import count_text, list_names, on_one_line
from acompass.explain.answer import ClassSeen, Explanation, Life, Step, Translation
from acompass.language.program.aggregates import facts_about
from acompass.language.text import tree
from acompass.language.text.tokens import policy_line
from acompass.language.text.walk import process_of, uses_key
from acompass.options import command_line_spelling
from acompass.report import document as doc
from acompass.report.answers.results import value_text

#: warn about values that are drawn with a probability below 1 in this number
_RARE = 100


def describe_suggestion(suggestion: Suggestion, context: doc.Context) -> Iterator[doc.Block]:
    summary, goal, *others = _suggestion_summary(suggestion)
    yield doc.headline("Suggestion", context, f"{_goal(suggestion)}, loss {_loss_text(suggestion.loss)}")
    yield doc.Either(rich=[doc.CodeBlock(suggestion.text)])
    levels = [
        (
            doc.Code(on_one_line(name)),
            _loss_text(suggestion.per_column[name]),
            on_one_line("proposed from the values: " * levels.proposed + levels.words),
        )
        for name, levels in suggestion.levels.items()
    ]
    yield doc.Table("Levels of each column", ("column", "loss", "levels"), levels, is_bold=True)
    width = max((len(f"{step.affected:,}") for step in suggestion.steps), default=0)
    steps = [
        (f"{step.affected:>{width},}", f"+{_loss_text(step.loss)}", doc.Code(on_one_line(_step_text(step))))
        for step in suggestion.steps
    ]
    yield doc.Table("Steps", ("records", "loss", "step"), steps, is_bold=True)
    if suggestion.curve:
        points = [(f"{each.lines:,}", _loss_text(each.loss), f"{each.dropped:,}") for each in suggestion.curve]
        yield doc.Table("Least loss by number of lines", ("lines", "loss", "dropped"), points, "lrr", is_bold=True)
    if suggestion.alternatives:
        rows = [_alternative_row(each) for each in suggestion.alternatives]
        head = ("style", "dropped at most", "loss", "dropped", "cells changed", "lines", "smallest class", "compared")
        yield doc.Table("Alternatives, by loss", head, rows, "lrrrrrrl", is_bold=True)
    yield doc.Bullets([summary, goal, *others])


_COMPARED = {
    Standing.SEARCHING: "being searched",
    Standing.LEAST: "least loss of these",
    Standing.FEWER_DROPPED: "fewer records dropped",
    Standing.BEATEN: "another loses less and drops no more",
    Standing.SAME: "the same policy",
}


def _alternative_row(found: Alternative) -> tuple[str, ...]:
    given = (found.style, share_text(found.max_lost))
    if found.answer is None:
        return (*given, *("–" for _ in range(5)), found.reason or _COMPARED[found.standing])
    answer = found.answer
    numbers = (answer.dropped, answer.cells_changed, len(answer.steps), answer.smallest)
    return (*given, _loss_text(answer.loss), *(f"{number:,}" for number in numbers), _COMPARED[found.standing])


def _step_text(step: SuggestedStep) -> str:
    where = "" if step.where is None else f"WHERE {step.where} : "
    return ("ALWAYS : " if step.is_always else where) + step.text


def _suggestion_summary(suggestion: Suggestion) -> Iterator[str]:
    incomplete = f", {suggestion.incomplete:,} dropped as incomplete" if suggestion.incomplete else ""
    yield (
        f"{count_text(suggestion.records_in, 'record')} in{incomplete}, {suggestion.dropped:,} rejected, "
        f"{suggestion.records_out:,} out, loss {_loss_text(suggestion.loss)}"
    )
    shown = "as `acompass prove` shows"
    if suggestion.person is not None and suggestion.steps[-1].text.startswith("DROP "):
        shown += " without the last line"
    yield f"{_goal(suggestion)}: on this table and, {shown}, on every other table"
    if suggestion.t is not None:
        yield f"t = {suggestion.t:.4f}: measured on this table, not proved for other tables"
    yield from (f"note: {note.text}" for note in suggestion.notes)


def _goal(suggestion: Suggestion) -> str:
    persons = "" if suggestion.person is None else f" persons ({on_one_line(suggestion.person)})"
    return f"k = {suggestion.k:,}{persons}" + ("" if suggestion.l is None else f" and l = {suggestion.l:,}")


def _loss_text(loss: float) -> str:
    return f"{loss:.4f}"


def describe_rules(rules: Rules, context: doc.Context) -> Iterator[doc.Block]:
    rows = [(doc.Code(rule.name), on_one_line(rule.title), rule.dated.isoformat()) for rule in rules]
    yield doc.headline("Rules", context, f"{len(rules):,} published rules")
    yield doc.Table("Published rules", ("rule", "title", "source of"), rows, is_bold=True)
    yield doc.Bullets(["show one with `acompass rules show NAME`; none of them is legal advice"])


def describe_rule(rule: Rule, context: doc.Context) -> Iterator[doc.Block]:
    title = on_one_line(rule.title)
    yield doc.headline("Rule", context, title, text=title)
    source = doc.Phrase(("source: ", doc.Code(rule.source), f", of {rule.dated}; to be reviewed by {rule.review}"))
    yield doc.Bullets([f"name: `{rule.name}`", source])
    yield doc.Section("covers", [doc.Paragraph(on_one_line(rule.covers))])
    yield doc.Section("leaves out", [doc.Bullets([*map(on_one_line, rule.leaves_out)])])
    numbers = [(doc.Code(each.name), str(each.value), on_one_line(each.meaning)) for each in rule.parameters]
    if numbers:
        yield doc.Table("parameters", ("parameter", "value", "meaning"), numbers, "lr", is_titled=True)
    columns = [(doc.Code(on_one_line(each.name)), on_one_line(each.meaning)) for each in rule.columns]
    yield doc.Table("columns", ("column", "meaning"), columns, is_titled=True)
    clauses = [(doc.Code(each.name), on_one_line(each.title)) for each in rule.clauses]
    yield doc.Table("clauses of a released table", ("clause", "meaning"), clauses, is_titled=True)
    yield doc.Section("policy", [doc.CodeBlock(rule.policy.text)])


def describe_rule_policy(policy: RulePolicy, context: doc.Context) -> Iterator[doc.Block]:
    yield doc.headline("Rule", context, on_one_line(policy.rule.title), text=_written_words(policy))
    yield doc.Either(rich=[doc.CodeBlock(policy.text)])
    if policy.matching is not None:
        yield from _matched_columns(policy, policy.matching)
    yield doc.Section("the rule leaves out", [doc.Bullets([*map(on_one_line, policy.rule.leaves_out)])])
    yield doc.Bullets([*(f"note: {on_one_line(note)}" for note in policy.notes), *_next_steps(policy, context)])


def _written_words(policy: RulePolicy) -> str:
    files = list_names(policy.written)
    return f"{on_one_line(policy.rule.title)}: wrote {files}" if files else on_one_line(policy.rule.title)


def _matched_columns(policy: RulePolicy, matching: Matching) -> Iterator[doc.Block]:
    rows = [
        (_listed(match.columns), doc.Code(on_one_line(match.column.name)), _REASONS[match.reason])
        for match in matching.matches
        if match.columns
    ]
    yield doc.Table("columns", ("in the table", "in the rule", "matched by"), rows, is_titled=True)
    absent = [f"`{on_one_line(each.name)}`: {on_one_line(each.meaning)}" for each in policy.not_found]
    if absent:
        yield doc.Section("columns of the rule that were not found in the table", [doc.Bullets(absent)])
    if matching.others:
        title = "columns of the table that were not recognized as the rule's, to be judged by hand"
        yield doc.Section(title, [doc.Paragraph(_listed(matching.others))])


#: how a column was found, in the words of a report
_REASONS = {"given": "the call", "role": "role", "name": "name", "values": "values"}


def _listed(names: Iterable[str]) -> doc.Phrase:
    return doc.Phrase(doc.code_names(map(on_one_line, names)))


def _next_steps(policy: RulePolicy, context: doc.Context) -> Iterator[doc.Words]:
    files = _listed(path.name for path in policy.policy.files)
    if policy.output is None and files:
        yield doc.Phrase(("the policy needs these files in its folder, which `--output` writes: ", *files))
    elif policy.output is not None and context.name is not None:
        options = [command_line_spelling(name, value) for name, value in policy.reading.items()]
        options += ["--key-file key.txt"] if uses_key(policy.policy.tree) else []
        command = [shell_word(policy.output), shell_word(context.name), "-o released.csv", *options]
        yield from _suggest_instead(policy, shell_word(context.name))
        yield f"next: `acompass run {' '.join(command)}`"


def _suggest_instead(policy: RulePolicy, table: str) -> Iterator[str]:
    """The command for a policy that generalizes the columns of the groups which this one rejects if they are small."""
    reading = [command_line_spelling(name, value) for name, value in policy.reading.items()]
    for requirement in policy.policy.tree.requirements:
        process, least = process_of(requirement), _least_count(requirement)
        if process is not None and least is not None:
            counted = process.aggregate.column
            person = [] if counted is None else [spell_for_shell("--person", counted.text)]
            names = spell_for_shell("--qi", [name.text for name in process.group_by])
            command = " ".join([table, names, f"--k {least}", *person, *reading, "-o suggested.acp"])
            yield (
                "this policy drops the records of small groups; one that generalizes their columns first may keep more "
                f"of them: `acompass suggest {command}`"
            )


def _least_count(requirement: tree.Requirement) -> int | None:
    """The least number of records or persons of a group whose records are not rejected."""
    match requirement:
        case tree.Requirement(
            tree.Assertion(
                result=tree.Process(aggregate=counted, alias=alias, where=None, group_by=(_, *_), others=()),
                condition=tree.Comparison(name, tree.Operator.GE, tree.Number(value)),
            ),
            tree.Reject(),
        ) if name == alias and counted.file is None and value == int(value):
            return int(value) if facts_about(counted.function).is_count else None
    return None


def describe_perturbation(policy: Perturbation, context: doc.Context) -> Iterator[doc.Block]:
    """The privacy that the policy gives. The description contains no values of the table."""
    yield doc.headline("PRAM", context, f"{on_one_line(policy.column)}, {policy.values:,} values")
    yield doc.Bullets([*_perturbation_lines(policy)])


def _perturbation_lines(policy: Perturbation) -> Iterator[str]:
    column = f"`{policy.column}`, {policy.values:,} values"
    if policy.ratio is None:
        yield f"{column}: no bound on ε, because the matrix rules out some changes"
    else:
        yield f"{column}: e^ε = {policy.ratio}, ε ≤ {policy.epsilon}"
    if policy.rarest is not None and policy.rarest * _RARE < 1:
        yield (
            f"a value has only {float(policy.rarest):.2%} of the weights: other values rarely change into it, so "
            "a released record with it is probably true; `--round 100` or `--uniform` lowers ε"
        )


def describe_estimate(estimate: Estimate, context: doc.Context) -> Iterator[doc.Block]:
    before = "" if estimate.line is None else f" before line {estimate.line}"
    records = f"{_round_count(estimate.records.estimate)} records"
    if estimate.records.variance:
        records += f" ± {_standard_error(estimate.records, 1)}"
    source = count_text(estimate.released, "released record")
    heading = f"{on_one_line(estimate.column)}{before}: {records}, estimated from {source}"
    yield doc.headline("Estimate", context, heading, text=heading)
    header = ("value", "released", "share", "estimated", "± s.e.", "share", "± s.e.")
    yield doc.Table(heading, header, [_estimate_row(each, estimate.released) for each in estimate.values], "lrrrrrr")
    yield doc.Bullets([f"note: {note}" for note in estimate.notes])


def _estimate_row(each: ValueEstimate, released: int) -> tuple[str, ...]:
    return (
        _estimated_value(each),
        f"{each.released:,}",
        _percent_text(Fraction(each.released, released) if released else None),
        _round_count(each.count.estimate),
        _standard_error(each.count, 1),
        _percent_text(None if each.share is None else each.share.estimate),
        "none" if each.share is None else _standard_error(each.share, 100),
    )


def _estimated_value(value: ValueEstimate) -> str:
    if value.value is None:
        return "(any other)"
    return doc.Code(on_one_line(value.value) if isinstance(value.value, str) else value_text(value.value))


def _round_count(number: Fraction) -> str:
    return f"{round(float(number), 1) + 0:,.1f}"


def _percent_text(share: Fraction | None) -> str:
    return "none" if share is None else f"{round(float(share) * 100, 2) + 0:.2f}%"


def _standard_error(quantity: Quantity, unit: int) -> str:
    error = quantity.standard_error
    if error is None:
        return "none"
    return f"{error * unit:,.1f}" if unit == 1 else f"{error * unit:.2f}%"


def describe_dbt_files(files: DbtFiles, context: doc.Context) -> Iterator[doc.Block]:
    changed, removed = ("written", "removed") if files.is_written else ("would write", "would remove")
    rows = [(changed if path in files.changed else "unchanged", path) for path in files.files]
    rows += [(removed, path) for path in files.removed]
    rows += [("left", path) for path in files.others]
    width = max(len(words) for words, _ in rows)
    remarks = [f"line {note.line}: {note.text}" for note in files.notes]
    remarks += [f"variable {name}: {value}, unless dbt sets it" for name, value in files.variables.items()]
    yield doc.headline("dbt", context, f"tests of {files.tested}")
    yield doc.Either(
        text=[doc.Bullets([*(f"{words:<{width}} {path}" for words, path in rows), *remarks])],
        rich=[
            doc.Table("Files", ("state", "file"), [(words, doc.Code(path)) for words, path in rows]),
            doc.Bullets(remarks),
        ],
    )


def describe_translation(translation: Translation, context: doc.Context) -> Iterator[doc.Block]:
    yield doc.headline("Policy" if context.name is None else "Translation", context, translation.language)
    yield doc.CodeBlock(translation.text)


def describe_explanation(explanation: Explanation, context: doc.Context) -> Iterator[doc.Block]:
    number = count_text(len(explanation.lives), "record")
    yield doc.headline("Explanation", context, number)
    if not explanation.lives:
        yield doc.Paragraph("no record satisfies the condition")
    for life in explanation.lives:
        yield doc.Either(text=[*_life_text(life)], rich=[*_life_tables(life)])


def _life_text(life: Life) -> Iterator[doc.Block]:
    """Requirements that affected the record or grouped it into a class have a paragraph; the others share a line."""
    if life.given is None:
        yield doc.Paragraph(_incomplete(life))
        return
    yield doc.Paragraph(f"record {life.record:,}: {_record_words(life.given)}")
    for step in life.steps:
        if step.affected or step.seen is not None:
            yield doc.Section(f"line {step.line}: {policy_line(step.text)}", [doc.Bullets([*_step_effect(step)])])
    others = [str(step.line) for step in life.steps if not step.affected and step.seen is None]
    unaffected = f"not affected by {'line' if len(others) == 1 else 'lines'} {', '.join(others)}"
    yield doc.Bullets([*([unaffected] if others else []), _life_end(life)])


def _life_tables(life: Life) -> Iterator[doc.Block]:
    """The record before and after, and the effect of each requirement on it."""
    if life.given is None:
        yield doc.Paragraph(_incomplete(life))
        return
    end = "changed" if life.left is not None and life.left != life.given else _life_end(life)
    values = [*_value_rows(life.given, life.left)]
    yield doc.Table(f"record {life.record:,}: {end}", ("column", "before", "after"), values, is_titled=True)
    caption = f"what happened to record {life.record:,}"
    steps = [(str(step.line), doc.Code(policy_line(step.text)), doc.Lines(_step_effect(step))) for step in life.steps]
    yield doc.Table(caption, ("line", "requirement", "effect"), steps, "r", is_titled=True)


def _incomplete(life: Life) -> str:
    return f"record {life.record:,} is incomplete and was dropped before the first requirement"


def _value_rows(given: Mapping[str, Any], left: Mapping[str, Any] | None) -> Iterator[tuple[str, ...]]:
    for name, value in given.items():
        after = doc.Code(value_text(left[name])) if left is not None and name in left else "dropped"
        yield doc.Code(on_one_line(name)), doc.Code(value_text(value)), after


def _step_effect(step: Step) -> Iterator[str]:
    if step.seen is not None:
        yield _class_words(step.seen)
    yield f"affected: {_step_outcome(step)}" if step.affected else "not affected"
    if step.affected and step.nearest:
        yield f"not affected with {', or '.join(step.nearest)}"


def _life_end(life: Life) -> str:
    dropped_by = life.dropped_by
    if dropped_by is not None:
        return f"dropped by line {dropped_by.line}"
    assert life.left is not None
    return "unchanged" if life.left == life.given else f"released as: {_record_words(life.left)}"


def _class_words(seen: ClassSeen) -> str:
    subject = f"its class ({_record_words(seen.key)})" if seen.key else "the table"
    values = ", ".join(f"{name} is {value_text(value)}" for name, value in seen.values.items())
    return f"{subject} has {count_text(seen.records, 'record')}, {values}"


def _step_outcome(step: Step) -> str:
    if step.drawn is False:
        return "not drawn, so unchanged"
    if step.dropped:
        return "dropped"
    if step.action == "DROP":
        return "columns dropped"
    if not step.changes:
        return "only checked, so unchanged"
    words = (
        f"{each.column} was {value_text(each.before)} and became {value_text(each.after)}" for each in step.changes
    )
    return ", ".join(words)


def _record_words(record: Mapping[str, Any]) -> str:
    return ", ".join(f"{on_one_line(name)} {value_text(value)}" for name, value in record.items())
