"""What can be wrong with a policy for a schema: one function a finding, one code a kind."""

from decimal import Decimal

from acompass.checked.literals import read_constant
from acompass.checked.names import Names
from acompass.checked.types import Column, Kind
from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree
from acompass.syntax.spelling import spell_name, spell_number, spell_string

#: letters of a constant that a message repeats
_SHOWN = 40

_EXAMPLES = {
    Kind.BOOLEAN: "`'true'` or `'false'`",
    Kind.DATE: "a date as `'2024-12-31'`",
    Kind.TIMESTAMP: "a timestamp as `'2024-12-31'` or `'2024-12-31 23:59:59'`",
}


def unknown_column(name: tree.Name, names: Names) -> Diagnostic:
    return _at(name.span, "AC101", f"unknown column `{name.text}`", _listed("columns", name, names))


def ambiguous_name(name: tree.Name, candidates: list[str]) -> Diagnostic:
    message = f"`{name.text}` is more than one column: {_listing(candidates)}"
    written = _listing([spell_name(candidate) for candidate in candidates])
    return _at(name.span, "AC102", message, f"spell it exactly as one of {written}")


def unseen_name(name: tree.Name, seen: Names, is_column: bool) -> Diagnostic:
    help_ = _listed("the condition after PROCESS sees", name, seen)
    if is_column:
        help_ += f"; add `{spell_name(name.text)}` to GROUP BY, or compare it in WHERE"
    return _at(name.span, "AC103", f"`{name.text}` is not in the result of PROCESS", help_)


def alias_is_grouped(alias: tree.Name, group: tree.Name) -> Diagnostic:
    return Diagnostic(
        "AC104",
        f"`{alias.text}` names both the aggregate and a column of GROUP BY",
        (Label(alias.span), Label(group.span, "grouped by here")),
        f"give the aggregate another name, such as `AS {spell_name(alias.text + ' value')}`",
    )


def grouped_twice(name: tree.Name, first: tree.Name, column: str) -> Diagnostic:
    return Diagnostic(
        "AC105",
        f"column `{column}` is twice in GROUP BY",
        (Label(name.span), Label(first.span, "first here")),
        f"leave out the second `{spell_name(name.text)}`",
    )


def unbound_parameter(parameter: tree.Parameter, bound: Names) -> Diagnostic:
    word = parameter.name
    close = bound.closest(word)
    meant = f"; did you mean `{close}`?" if close else ""
    help_ = f"bind it with `--set {word}=3`, or write `{spell_string(word)}` for text{meant}"
    return _at(parameter.span, "AC106", f"parameter `{word}` is not bound", help_)


def unused_parameter(name: str) -> Diagnostic:
    message = f"parameter `{name}` is bound and never used in the policy"
    return Diagnostic("AC107", message, (), f"leave out `--set {name}=…`")


def column_as_constant(parameter: tree.Parameter, column: str) -> Diagnostic:
    message = f"`{parameter.name}` is a column where a constant is expected"
    help_ = (
        "a column cannot be compared with a column, or replaced with one; "
        f"write a number, or `{spell_string(column)}` for the text"
    )
    return _at(parameter.span, "AC108", message, help_)


def bad_setting(text: str) -> Diagnostic:
    message = f"`{text}` does not bind a parameter: expected a word, `=` and a value"
    return Diagnostic("AC109", message, (), "write `--set k=3`")


def repeated_setting(name: str) -> Diagnostic:
    message = f"parameter `{name}` is bound twice"
    return Diagnostic("AC109", message, (), f"keep one `--set {name}=…`")


def unusable_parameter(name: str) -> Diagnostic:
    message = f"parameter `{name}` is bound to something that is neither a finite number nor text"
    return Diagnostic("AC109", message, (), f"bind a number or text, such as `--set {name}=3`")


def type_mismatch(constant: tree.Number | tree.String, column: Column) -> Diagnostic:
    message = f"column `{column.name}` is {column.type.kind}, compared with {_described(constant)}"
    return _at(constant.span, "AC110", message, _fitting(constant, column))


def unreadable_constant(constant: tree.String, column: Column) -> Diagnostic:
    message = f"column `{column.name}` is {column.type.kind}, and {_described(constant)} is not one"
    return _at(constant.span, "AC111", message, f"write {_EXAMPLES[column.type.kind]}")


def not_aggregable(aggregate: tree.Aggregate, name: tree.Name, column: Column) -> Diagnostic:
    function = aggregate.function
    wanted = "numbers" if function is tree.Function.SUM else "numbers, text, dates or timestamps"
    message = f"{function} needs {wanted}, and column `{column.name}` is {column.type.kind}"
    return _at(
        name.span, "AC112", message, f"count its values with `COUNT DISTINCT({spell_name(name.text)})`"
    )


def number_replacing(constant: tree.Number, column: Column) -> Diagnostic:
    message = f"column `{column.name}` is {column.type.kind}, replaced with {_described(constant)}"
    text = spell_string(_shortened(constant))
    help_ = f"write `{text}` to make the column text, or {_EXAMPLES[column.type.kind]}"
    return _at(constant.span, "AC113", message, help_)


def not_randomizable(name: tree.Name, column: Column) -> Diagnostic:
    message = f"RANDOM makes an integer, and column `{column.name}` is {column.type.kind}"
    return _at(name.span, "AC114", message, f"use `REPLACE {spell_name(name.text)} WITH` and a constant")


def bound_not_integer(span: Span, found: tree.Number | tree.String) -> Diagnostic:
    message = f"a bound of RANDOM must be a 64-bit integer, and {_described(found)} is not one"
    return _at(span, "AC115", message, "write integers, such as `RANDOM AEC 3000 4000`")


def bounds_reversed(random: tree.Random, lower: int, upper: int) -> Diagnostic:
    message = f"the lower bound {lower} of RANDOM is above its upper bound {upper}"
    help_ = f"write `RANDOM {spell_name(random.name.text)} {upper} {lower}`"
    return _at(random.lower.span.to(random.upper.span), "AC115", message, help_)


def number_too_long(span: Span, digits: int, most: int) -> Diagnostic:
    message = f"the number takes {digits:,} digits, more than the {most:,} that can stand here"
    return _at(span, "AC116", message, "write a shorter number")


def outside_floats(span: Span) -> Diagnostic:
    message = "the number is larger than any float, and the column is float"
    return _at(span, "AC116", message, "write a number below 1.8 followed by 308 digits")


def opaque_column(name: tree.Name, column: str) -> Diagnostic:
    message = f"column `{column}` holds values that no policy can use"
    help_ = "it passes through unchanged; convert it to text before, or leave it out of the policy"
    return _at(name.span, "AC117", message, help_)


def nested_too_deeply(span: Span, most: int) -> Diagnostic:
    """Said of trees made by hand; the parser says it of text."""
    message = f"the condition is nested more than {most} levels deep"
    return _at(span, "AC020", message, "split the condition into several requirements")


def not_unicode(span: Span) -> Diagnostic:
    message = "the text holds half of a surrogate pair, which no table can hold"
    return _at(span, "AC111", message, "write the whole letter")


def turned_to_text(finding: Diagnostic, column: str, replaced: Span) -> Diagnostic:
    """The same misuse as a number, of a column that a REPLACE before it turned to text (D12)."""
    return Diagnostic(
        "AC118",
        f"column `{column}` is used as a number after a REPLACE made it text",
        (Label(finding.labels[0].span, "used as a number here"), Label(replaced, "becomes text here")),
        "move this requirement before the REPLACE, or replace with a number there",
    )


def _at(span: Span, code: str, message: str, help_: str) -> Diagnostic:
    return Diagnostic(code, message, (Label(span),), help_)


def _listed(what: str, name: tree.Name, names: Names) -> str:
    close = names.closest(name.text)
    meant = f"; did you mean `{spell_name(close)}`?" if close else ""
    return f"{what}: {names.listing()}{meant}"


def _listing(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _shortened(constant: tree.Number | tree.String) -> str:
    text = spell_number(constant.value) if isinstance(constant, tree.Number) else constant.value
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _described(constant: tree.Number | tree.String) -> str:
    text = _shortened(constant)
    return f"the number `{text}`" if isinstance(constant, tree.Number) else f"the text `{spell_string(text)}`"


def _fitting(constant: tree.Number | tree.String, column: Column) -> str:
    """What to write instead of a constant of the wrong type."""
    if column.type.kind in _EXAMPLES:
        return f"write {_EXAMPLES[column.type.kind]}"
    text = _shortened(constant)
    if isinstance(constant, tree.Number):
        return f"write `{spell_string(text)}`"
    if isinstance(read_constant(constant.value), Decimal):
        return f"write `{text}` without quotes"
    return "write a number, such as `80`"
