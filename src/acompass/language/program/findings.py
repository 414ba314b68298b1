"""The mistakes that a policy can have for a schema: a function for each builds its diagnostic."""

import dataclasses
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

from acompass.errors.diagnostics import (
    Diagnostic,
    Edit,
    Fix,
    Label,
    Span,
    delete,
    insert,
    offer,
    option_text,
    replace,
    safe,
)
from acompass.errors.display import list_names, quote
from acompass.language.program.aggregates import facts_about
from acompass.language.program.hierarchies import Problem, problem_summary
from acompass.language.program.types import Column, Kind, Names
from acompass.language.text import tree
from acompass.language.text.tokens import (
    quoted_name,
    read_constant,
    spell_constant,
    spell_name,
    spell_number,
    spell_string,
)
from acompass.language.text.walk import random_word

#: a constant of the policy, or the value of a parameter
Bound: TypeAlias = tree.Number | tree.String

#: characters of a constant that a message shows
_SHOWN = 40

_EXAMPLES = {
    Kind.BOOLEAN: "`'true'` or `'false'`",
    Kind.DATE: "a date as `'2024-12-31'`",
    Kind.TIMESTAMP: "a timestamp as `'2024-12-31'` or `'2024-12-31 23:59:59'`",
}


def unknown_column(name: tree.Name, names: Names) -> Diagnostic:
    close = names.closest(name.text)
    help_ = f"columns: {names.listing()}{_meant(close)}"
    fixes = _split_random(name, names) or _rename(name, close)
    return _diagnostic_at(name.span, "AC101", f"unknown column `{name.text}`", help_, fixes)


def _split_random(name: tree.Name, names: Names) -> tuple[Fix, ...]:
    """For `RANDOM Age low high THEN PSEUDONYM Name`, in which the name is `Age low high THEN` (X0)."""
    *words, low, high, then = ["", "", *name.text.split(" ")]
    column = " ".join(words).strip()
    if then.upper() != "THEN" or not names.find(column) or len(name.text) != name.span.end - name.span.start:
        return ()
    split = f"{quoted_name(column)} {low} {high} {then}"
    return offer(f"write `{split}`, so that `THEN` begins the next action", replace(name.span, split))


def ambiguous_name(name: tree.Name, candidates: list[str]) -> Diagnostic:
    message = f"`{name.text}` matches several columns: {list_names(candidates)}"
    written = list_names([spell_name(candidate) for candidate in candidates])
    fixes = tuple(fix for candidate in candidates for fix in _rename(name, candidate))
    return _diagnostic_at(name.span, "AC102", message, f"spell it exactly as one of {written}", fixes)


def unseen_name(name: tree.Name, seen: Names, alias: tree.Name | None, is_column: bool) -> Diagnostic:
    close = seen.closest(name.text)
    help_ = f"the condition after PROCESS sees: {seen.listing()}{_meant(close)}"
    if is_column:
        help_ += f"; add `{spell_name(name.text)}` to GROUP BY, or compare it in WHERE"
    fixes = _split_alias(name, alias) or _rename(name, close)
    return _diagnostic_at(name.span, "AC103", f"`{name.text}` is not in the result of PROCESS", help_, fixes)


def _split_alias(name: tree.Name, alias: tree.Name | None) -> tuple[Fix, ...]:
    """For `AS Size GROUPBY Age : Size > 3`, in which `Size GROUPBY Age` is read as one name."""
    if alias is None or len(alias.text) != alias.span.end - alias.span.start:
        return ()
    from acompass.language.mistakes.unreadable_text import is_group_by  # only an error needs it

    words = alias.text.split(" ")
    at = next((index for index, word in enumerate(words) if is_group_by(word)), 0)
    before = " ".join(words[:at])
    if not 0 < at < len(words) - 1 or before.casefold() != name.text.casefold():
        return ()
    start = alias.span.start + len(before) + 1
    return safe("write `GROUP BY`", replace(Span(start, start + len(words[at])), "GROUP BY"))


def alias_is_grouped(alias: tree.Name, group: tree.Name) -> Diagnostic:
    message = f"`{alias.text}` names both the aggregate and a column of GROUP BY"
    help_ = f"give the aggregate another name, such as `AS {spell_name(alias.text + ' value')}`"
    return _diagnostic_at(alias.span, "AC104", message, help_, other=Label(group.span, "grouped by here"))


def repeated_group(name: tree.Name, previous: tree.Name, first: tree.Name, column: str) -> Diagnostic:
    return _repeated_name("AC105", "GROUP BY", name, previous, first, column)


def _repeated_name(
    code: str, place: str, name: tree.Name, previous: tree.Name, first: tree.Name, column: str
) -> Diagnostic:
    """`previous` is the preceding name in the list, `first` the earlier name of the same column."""
    help_ = f"remove the second `{spell_name(name.text)}`"
    fixes = offer(help_, delete(Span(previous.span.end, name.span.end)))
    message = f"column `{column}` appears twice in {place}"
    return _diagnostic_at(name.span, code, message, help_, fixes, Label(first.span, "first here"))


def unbound_parameter(parameter: tree.Parameter, bound: Names, is_number: bool) -> Diagnostic:
    word = parameter.name
    close = bound.closest(word)
    meant = f"; did you mean `{close}`?" if close else ""
    text = "" if is_number else f", or write `{spell_string(word)}` for text"
    help_ = f"bind it with `{option_text('params', {word: 3})}`{text}{meant}"
    fixes = offer(f"write `{close}`", replace(parameter.span, close)) if close else ()
    if not is_number:
        fixes += offer(f"write `{spell_string(word)}`", *_in_quotes(parameter.span))
    return _diagnostic_at(parameter.span, "AC106", f"parameter `{word}` is not bound", help_, fixes)


def unused_parameter(name: str) -> Diagnostic:
    message = f"parameter `{name}` is bound but never used in the policy"
    help_ = f"remove `{option_text('params', {name: ...})}`, or remove `{name}` from `acompass.toml`"
    return Diagnostic("AC107", message, (), help_)


def column_as_constant(parameter: tree.Parameter, column: str) -> Diagnostic:
    message = f"expected a constant, found the column `{parameter.name}`"
    help_ = (
        "a column cannot be compared with or replaced by another column; "
        f"write a number, or `{spell_string(column)}` for the text"
    )
    fixes = offer(f"write `{spell_string(column)}`", replace(parameter.span, spell_string(column)))
    return _diagnostic_at(parameter.span, "AC108", message, help_, fixes)


def bad_setting(text: str) -> Diagnostic:
    message = f"expected `NAME=VALUE` to bind a parameter, found `{text}`"
    return Diagnostic("AC109", message, (), f"write `{option_text('params', {'k': 3})}`")


def repeated_setting(name: str) -> Diagnostic:
    message = f"parameter `{name}` is bound twice"
    return Diagnostic("AC109", message, (), f"keep one `{option_text('params', {name: ...})}`")


def unusable_parameter(name: str) -> Diagnostic:
    message = f"the value of parameter `{name}` is neither a finite number nor text"
    return Diagnostic("AC109", message, (), f"bind a number or text, such as `{option_text('params', {name: 3})}`")


def type_mismatch(constant: tree.Number | tree.String, column: Column) -> Diagnostic:
    what = (
        f"`{column.name}` is a share"
        if column.type.kind is Kind.SHARE
        else f"column `{column.name}` is {column.type.kind}"
    )
    message = f"{what}, compared with {_describe_constant(constant)}"
    return _diagnostic_at(constant.span, "AC110", message, _fitting(constant, column), _change_quotes(constant, column))


def unreadable_constant(constant: tree.String, column: Column) -> Diagnostic:
    message = f"{_describe_constant(constant)} is not a {column.type.kind}, the type of column `{column.name}`"
    return _diagnostic_at(constant.span, "AC111", message, f"write {_EXAMPLES[column.type.kind]}")


def not_aggregable(aggregate: tree.Aggregate, name: tree.Name, column: Column) -> Diagnostic:
    needs = facts_about(aggregate.function).needs
    message = f"{aggregate.function} needs {needs}, but column `{column.name}` is {column.type.kind}"
    help_ = f"count its values with `COUNT DISTINCT({spell_name(name.text)})`"
    if facts_about(aggregate.function).is_share:
        help_ = f"limit its most frequent value with `SHARE OF MODE ({spell_name(name.text)})`"
    return _diagnostic_at(name.span, "AC112", message, help_)


def number_replacing(constant: tree.Number, column: Column) -> Diagnostic:
    message = f"column `{column.name}` is {column.type.kind}, replaced with {_describe_constant(constant)}"
    text = spell_string(_shorten(constant))
    help_ = f"write `{text}` to make the column text, or {_EXAMPLES[column.type.kind]}"
    return _diagnostic_at(constant.span, "AC113", message, help_, offer(f"write `{text}`", *_in_quotes(constant.span)))


def not_randomizable(name: tree.Name, column: Column) -> Diagnostic:
    message = f"RANDOM writes an integer, but column `{column.name}` is {column.type.kind}"
    spelled = spell_name(name.text, "FROM")
    help_ = f"use `RANDOM {spelled} FROM` and values in parentheses, or `REPLACE {spelled} WITH` and a constant"
    return _diagnostic_at(name.span, "AC114", message, help_)


def bound_not_integer(action: tree.Random | tree.AddRandom, span: Span, found: Bound) -> Diagnostic:
    message = f"a bound of {random_word(action)} must be a 64-bit integer, not {_describe_constant(found)}"
    return _diagnostic_at(span, "AC115", message, "write two integers, such as `3000 4000`")


def not_shiftable(name: tree.Name, column: Column) -> Diagnostic:
    message = f"SHIFT needs dates, timestamps or text, but column `{column.name}` is {column.type.kind}"
    help_ = "name columns that contain dates"
    if column.type.is_number:
        help_ += f", or write `ADD RANDOM -30 30 TO {spell_name(name.text, 'THEN')}`"
    return _diagnostic_at(name.span, "AC127", message, help_)


def not_numbers(name: tree.Name, word: str, column: Column) -> Diagnostic:
    message = f"{word} needs numbers, but column `{column.name}` is {column.type.kind}"
    help_ = "name a column that contains numbers"
    if column.type.kind in (Kind.DATE, Kind.TIMESTAMP):
        help_ += "; SHIFT moves dates"
    return _diagnostic_at(name.span, "AC127", message, help_)


def integer_out_of_range(
    constant: tree.Number | tree.Parameter, found: Bound, what: str, least: int, most: int | None
) -> Diagnostic:
    """A fix is offered for a number, but not for the value of a parameter, which is not in the policy."""
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"
    message = f"{what} must be an integer {limits}, not {_describe_constant(found)}"
    if isinstance(constant, tree.Parameter):
        return _diagnostic_at(constant.span, "AC128", message, f"bind `{constant.name}` to an integer {limits}")
    meant = str(least if most is None or constant.value < least else most)
    fixes = offer(f"write `{meant}`", replace(constant.span, meant))
    return _diagnostic_at(constant.span, "AC128", message, f"write an integer {limits}, such as `{meant}`", fixes)


def shifted_twice(name: tree.Name, previous: tree.Name, first: tree.Name, column: str) -> Diagnostic:
    return _repeated_name("AC129", "SHIFT", name, previous, first, column)


def bounds_reversed(random: tree.Random | tree.AddRandom, lower: int, upper: int) -> Diagnostic:
    word, name = random_word(random), spell_name(random.name.text)
    message = f"the lower bound {lower} of {word} is above its upper bound {upper}"
    swapped = f"{word} {name} {upper} {lower}" if word == "RANDOM" else f"{word} {upper} {lower} TO {name}"
    lower_edit = replace(random.lower.span, _spell_bound(random.upper))
    upper_edit = replace(random.upper.span, _spell_bound(random.lower))
    fixes = offer("swap the bounds", lower_edit, upper_edit)
    return _diagnostic_at(random.lower.span.to(random.upper.span), "AC115", message, f"write `{swapped}`", fixes)


def number_too_long(span: Span, digits: int, most: int) -> Diagnostic:
    message = f"the number has {digits:,} digits, more than the {most:,} allowed here"
    return _diagnostic_at(span, "AC116", message, "write a shorter number")


def outside_floats(span: Span) -> Diagnostic:
    message = "the number is too large for a float column"
    return _diagnostic_at(span, "AC116", message, "write a number of at most 308 digits")


def opaque_column(name: tree.Name, column: str) -> Diagnostic:
    help_ = (
        "convert the column to text first, remove it with `ALWAYS : DROP`, or leave it out of the policy: it "
        "then passes through unchanged"
    )
    return _diagnostic_at(name.span, "AC117", f"column `{column}` has a type that policies do not support", help_)


def nesting_too_deep(span: Span, most: int) -> Diagnostic:
    """For a tree built in code; for text, the parser reports this."""
    message = f"the condition is nested more than {most} levels deep"
    return _diagnostic_at(span, "AC020", message, "split the condition into several requirements")


def not_unicode(span: Span) -> Diagnostic:
    message = "the text contains a lone surrogate, which is not a character"
    return _diagnostic_at(span, "AC111", message, "write the whole character")


def text_used_as_number(finding: Diagnostic, column: str, by: str, place: Span) -> Diagnostic:
    """The finding for a column that is used as a number after an action turned it into text (D12)."""
    instead = {"REPLACE": ", or replace with a number there", "RANDOM": ", or draw numbers there"}
    return Diagnostic(
        "AC118",
        f"column `{column}` is used as a number after a {by} turned it into text",
        (Label(finding.labels[0].span, "used as a number here"), Label(place, "becomes text here")),
        f"move this requirement before the {by}{instead.get(by, '')}",
    )


def labels_among_numbers(finding: Diagnostic, column: str) -> Diagnostic:
    """The finding for a column that contains labels for BANDS (X2), but that is also used as a number."""
    return Diagnostic(
        "AC210",
        f"column `{column}` is used as a number, but also contains labels of bands or `*`",
        (Label(finding.labels[0].span, "used as a number here"),),
        "omit this requirement for a table that is already generalized",
    )


def alias_twice(alias: tree.Name, first: tree.Name) -> Diagnostic:
    help_ = f"give one of them another name, such as `AS {spell_name(alias.text + ' 2')}`"
    message = f"two aggregates are called `{alias.text}`"
    return _diagnostic_at(alias.span, "AC104", message, help_, other=Label(first.span, "first here"))


def not_cut_from_earlier(action: tree.Generalize, column: str, earlier: Span) -> Diagnostic:
    message = f"this map of column `{column}` cannot follow an earlier one"
    help_ = (
        "make each map coarser than the one before: bands whose bounds are among the earlier bounds, "
        "an odd multiple of the earlier NEAREST, a shorter prefix, a longer period, a higher level"
    )
    return _diagnostic_at(action.map.span, "AC119", message, help_, other=Label(earlier, "earlier map"))


def unmappable_text(action: tree.Generalize, column: str, by: str, place: Span) -> Diagnostic:
    verbs = {
        "REPLACE": "replace with `'*'` or labels of the map, or ",
        "RANDOM": "draw `'*'` or labels of the map, or ",
    }
    message = f"this map of column `{column}` has no label for text that a {by} writes"
    help_ = f"{verbs.get(by, '')}move the {by} after this line"
    return _diagnostic_at(action.map.span, "AC119", message, help_, other=Label(place, "written here"))


def invalid_map(span: Span, problem: str, help_: str) -> Diagnostic:
    return _diagnostic_at(span, "AC120", problem, help_)


UNSUITABLE_MAP = "AC121"


def unsuitable_map(action: tree.Generalize, wanted: str, column: Column) -> Diagnostic:
    message = f"{wanted}, but column `{column.name}` is {column.type.kind}"
    help_ = "use PREFIX or LEVEL for text, BANDS or NEAREST for numbers, YEAR for dates"
    return _diagnostic_at(action.name.span, UNSUITABLE_MAP, message, help_)


def unreadable_hierarchy(file: tree.String, reason: str) -> Diagnostic:
    message = f"cannot read hierarchy `{file.value}`: {reason}"
    return _diagnostic_at(file.span, "AC122", message, "write the path of the file relative to the policy's folder")


def wrong_hierarchy(file: tree.String, problems: Sequence[Problem]) -> Diagnostic:
    message = f"hierarchy `{file.value}`: {problem_summary(problems)}"
    return _diagnostic_at(file.span, "AC122", message, f"`acompass hierarchy {file.value} --check` lists what is wrong")


#: by the code of an error about a table, whose own help names an option or a glob; neither applies to reference tables
_REFERENCE_HELP = {
    "AC201": "write the path of the file relative to the policy's folder",
    "AC202": "name one CSV or Parquet file",
    "AC203": "check that the file exists and is readable",
    "AC205": "save the file as UTF-8",
    "AC251": "put the column names on the first line of the file",
    "AC252": "name a file that ends in `.csv`, `.tsv`, `.csv.gz` or `.parquet`",
}


def unusable_reference(file: tree.String, problem: Diagnostic) -> Diagnostic:
    """`problem` is an error about the file as a table."""
    help_ = _REFERENCE_HELP.get(problem.code) or problem.help or "use a CSV or Parquet file with a header"
    return _diagnostic_at(file.span, "AC130", f"unusable reference table: {problem.message}", help_)


def not_in_reference(file: tree.String, name: str | tree.Name, names: Names, candidates: Sequence[str]) -> Diagnostic:
    """A column that the file lacks, or that several of its columns match (D3); a text is the name of a GROUP BY column
    in the table, which the file must have."""
    text, span = (name.text, name.span) if isinstance(name, tree.Name) else (name, file.span)
    if candidates:
        message = f"`{text}` matches several columns of reference table `{file.value}`: {list_names(candidates)}"
        return _diagnostic_at(span, "AC130", message, "rename one of them in the file")
    close = names.closest(text)
    fixes: tuple[Fix, ...] = ()
    help_ = f"columns of the file: {names.listing()}"
    if isinstance(name, tree.Name):
        help_, fixes = f"{help_}{_meant(close)}", _rename(name, close)
    elif close is not None:
        help_ += f"; rename `{close}` to `{text}` in the file"
    return _diagnostic_at(span, "AC130", f"reference table `{file.value}` has no column `{text}`", help_, fixes)


def not_addable(file: tree.String, name: tree.Name, column: str) -> Diagnostic:
    message = f"SUM needs numbers, but column `{column}` of reference table `{file.value}` has other values"
    return _diagnostic_at(name.span, "AC130", message, "add a column of numbers, or count records: `COUNT(*) IN …`")


def dropped_column(name: tree.Name, column: str, place: Span | None) -> Diagnostic:
    """`place` is None if the claim of one policy is about a column that another policy drops."""
    help_ = "move the DROP after the last line that needs the column"
    dropped = None if place is None else Label(place, "dropped here")
    return _diagnostic_at(name.span, "AC123", f"column `{column}` was dropped", help_, other=dropped)


def nothing_left(action: tree.Drop) -> Diagnostic:
    return _diagnostic_at(action.span, "AC124", "this DROP leaves no column", "keep at least one column")


def drop_without_always(action: tree.Drop) -> Diagnostic:
    names = ", ".join(spell_name(name.text) for name in action.names)
    message = "DROP removes a column from all records, so it needs ALWAYS"
    return _diagnostic_at(action.span, "AC124", message, f"write `ALWAYS : DROP {names};`")


def drop_parameter_fixes(finding: Diagnostic, constant: tree.Constant) -> Diagnostic:
    """The finding without fixes if the constant is the value of a parameter, which is not in the policy."""
    return dataclasses.replace(finding, fixes=()) if isinstance(constant, tree.Parameter) else finding


def _diagnostic_at(
    span: Span, code: str, message: str, help_: str, fixes: tuple[Fix, ...] = (), other: Label | None = None
) -> Diagnostic:
    """A diagnostic at a place, with a note at another one."""
    return Diagnostic(code, message, (Label(span), *(() if other is None else (other,))), help_, fixes=fixes)


def _meant(close: str | None) -> str:
    return f"; did you mean `{spell_name(close)}`?" if close else ""


def _rename(name: tree.Name, to: str | None) -> tuple[Fix, ...]:
    """An offer, however similar the names are: with the wrong column, people would be unprotected."""
    return () if to is None else offer(f"write `{spell_name(to)}`", replace(name.span, spell_name(to)))


def _in_quotes(span: Span) -> tuple[Edit, Edit]:
    """Edits that put a number or word in quotes, including its leading and trailing zeros."""
    return insert(span.start, "'"), insert(span.end, "'")


def _change_quotes(constant: tree.Number | tree.String, column: Column) -> tuple[Fix, ...]:
    """Offers that give the constant its column's type. They are not safe: the column's type may be the mistake."""
    if column.type.kind in _EXAMPLES:
        return ()
    span = constant.span
    if isinstance(constant, tree.Number):
        return offer("write it as text", *_in_quotes(span))
    if not isinstance(read_constant(constant.value), Decimal):
        return ()
    quotes = delete(Span(span.start, span.start + 1)), delete(Span(span.end - 1, span.end))
    return offer("write it as a number", *quotes)


def _spell_bound(bound: tree.Number | tree.Parameter) -> str:
    return bound.name if isinstance(bound, tree.Parameter) else spell_number(bound.value)


def _shorten(constant: tree.Number | tree.String) -> str:
    text = spell_number(constant.value) if isinstance(constant, tree.Number) else constant.value
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _describe_constant(constant: tree.Number | tree.String) -> str:
    text = _shorten(constant)
    return f"the number `{text}`" if isinstance(constant, tree.Number) else f"the text `{spell_string(text)}`"


def _fitting(constant: tree.Number | tree.String, column: Column) -> str:
    """Help for a constant of the wrong type."""
    if column.type.kind in _EXAMPLES:
        return f"write {_EXAMPLES[column.type.kind]}"
    text = _shorten(constant)
    if isinstance(constant, tree.Number):
        return f"write `{spell_string(text)}`"
    if isinstance(read_constant(constant.value), Decimal):
        return f"write `{text}` without quotes"
    return f"write a number, such as `{'0.5' if column.type.kind is Kind.SHARE else '80'}`"


def mixed_kinds(values: Sequence[tree.WeightedValue], other: tree.WeightedValue) -> Diagnostic:
    message, help_ = "RANDOM … FROM mixes numbers and text", "write all values as numbers, or all as text in quotes"
    fixes = _quote_numbers([each.constant for each in values])
    first = Label(values[0].constant.span, "the first value is of the other kind")
    return _diagnostic_at(other.constant.span, "AC125", message, help_, fixes, first)


def _quote_numbers(constants: Sequence[tree.Constant]) -> tuple[Fix, ...]:
    """An offer to write all numbers as text, if no value is a parameter."""
    if any(isinstance(constant, tree.Parameter) for constant in constants):
        return ()
    numbers = [constant for constant in constants if isinstance(constant, tree.Number)]
    edits = (replace(number.span, spell_string(spell_number(number.value))) for number in numbers)
    return offer("put the numbers in quotes", *edits)


def repeated_weighted_value(values: Sequence[tree.WeightedValue], first: int, again: int) -> Diagnostic:
    one, other = values[first], values[again]
    spelled = [quote(spell_constant(each.constant)) for each in (one, other)]
    message = f"duplicate value {spelled[0]} in RANDOM … FROM"
    if spelled[0] != spelled[1]:
        message = f"{spelled[0]} and {spelled[1]} are the same value in this column"
    once = f"{int(one.times) + int(other.times)} OF {spell_constant(one.constant)}"
    help_ = "write the value once, with the sum of both weights"
    fixes = offer(f"write {quote(once)} once", *_once(values, first, again, once))
    return _diagnostic_at(other.span, "AC126", message, help_, fixes, Label(one.span, "here first"))


def _once(values: Sequence[tree.WeightedValue], first: int, again: int, written: str) -> tuple[Edit, Edit]:
    """Edits that give the first value the weights of both, and remove the other with the comma before it."""
    return replace(values[first].span, written), delete(Span(values[again - 1].span.end, values[again].span.end))
