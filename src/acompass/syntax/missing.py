"""What should be there and is not: a sign, a condition, an aggregate, an action, the rest."""

from acompass.diagnostics import Diagnostic
from acompass.syntax.habits import Rule
from acompass.syntax.tokens import AGGREGATE_KINDS
from acompass.syntax.unexpected import Unexpected, one_of, quote, text_of

_ACTIONS = ("REJECT", "REPLACE", "RANDOM")
_AGGREGATE_HELP = "write one of `SUM(A)` `MIN(A)` `MAX(A)` `COUNT(*)` `COUNT DISTINCT(A)`"


def empty_requirement(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.index or not unexpected.at_end:
        return None
    help_ = "remove the `;`, or write `EACH RESULT : Age <= 80;`"
    return Diagnostic("AC028", "there is no requirement before `;`", unexpected.label(), help_)


def condition_after_result(unexpected: Unexpected) -> Diagnostic | None:
    """`EACH RECORD φ : …`, as the paper's Theorem 7 writes it; it can mean two things."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or previous.type != "RESULT" or unexpected.accepted != {"COLON"}:
        return None
    if token.type not in ("WORD", "QUOTED", "NOT", "LPAR"):
        return None
    rest = unexpected.tokens[unexpected.index :]
    condition = text_of(rest[: next((i for i, t in enumerate(rest) if t.type in ("COLON", "SEMICOLON")), 0)])
    quantifier = unexpected.tokens[0].text
    return Diagnostic(
        "AC026",
        f"expected `:` after {quote(previous.text)}, found a condition",
        unexpected.label(),
        f"write `{quantifier} RESULT : {condition}` to require it of every record, "
        f"`{quantifier} FILTER {condition} : …` to require something of the records that satisfy it",
    )


def missing_colon(unexpected: Unexpected) -> Diagnostic | None:
    token = unexpected.token
    if "COLON" not in unexpected.accepted or token.type not in _ACTIONS:
        return None
    help_ = f"write `: {text_of([token, *unexpected.after])}`"
    return Diagnostic("AC011", f"missing `:` before {quote(token.text)}", unexpected.label(), help_)


def missing_condition(unexpected: Unexpected) -> Diagnostic | None:
    token, previous = unexpected.token, unexpected.previous
    if previous is None or not unexpected.wants_condition:
        return None
    if token.type not in ("COLON", "SEMICOLON", "RPAR", "AND", "OR", *_ACTIONS):
        return None
    message = f"missing condition after {quote(previous.text)}"
    return Diagnostic("AC012", message, unexpected.label(), f"write `{unexpected.sample}`")


def missing_as(unexpected: Unexpected) -> Diagnostic | None:
    if "AS" not in unexpected.accepted:
        return None
    start = next((i for i, token in enumerate(unexpected.tokens) if token.type == "PROCESS"), 0)
    aggregate = text_of(unexpected.tokens[start : unexpected.index])
    message = f"missing `AS` and a name after {quote(aggregate)}"
    return Diagnostic("AC013", message, unexpected.label(), f"write `{aggregate} AS Size`")


def aggregate(unexpected: Unexpected) -> Diagnostic | None:
    """Anything that goes wrong between PROCESS and the end of its aggregate."""
    before = unexpected.tokens[: unexpected.index]
    functions = [token for token in before if token.type in AGGREGATE_KINDS]
    if "SUM" in unexpected.accepted:
        message = f"expected an aggregate, found {unexpected.found}"
        return Diagnostic("AC023", message, unexpected.label(), _AGGREGATE_HELP)
    if not functions or not unexpected.accepted & {"LPAR", "RPAR", "STAR"} or unexpected.wants_condition:
        return None
    if "OPERATOR" in unexpected.accepted or any(token.type == "AS" for token in before):
        return None
    words = [token.text for token in unexpected.words_from_here or unexpected.words_before]
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    return Diagnostic("AC023", message, unexpected.label(), _instead(functions[0].type, words))


def _instead(function: str, words: list[str]) -> str:
    distinct = words[:1] and words[0].upper() == "DISTINCT"
    name = " ".join(words[1:] if distinct else words) or "A"
    match function:
        case "COUNT" if distinct:
            return f"write `COUNT DISTINCT({name})`"
        case "COUNT":
            return f"write `COUNT(*)` for the records, `COUNT DISTINCT({name})` for the values"
        case "COUNT_DISTINCT":
            return f"write `COUNT DISTINCT({name})`"
        case _:
            return f"write `{function}({name})`"


def unknown_action(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.accepted != set(_ACTIONS):
        return None
    if unexpected.at_end:
        help_ = "write `: REJECT`, or leave out the `:` where the requirement only checks"
        return Diagnostic("AC015", "missing action after `:`", unexpected.label(), help_)
    message = f"expected {one_of([f'`{action}`' for action in _ACTIONS])}, found {unexpected.found}"
    help_ = "write one of `REJECT` `REPLACE A WITH 0` `RANDOM A 1 9`"
    return Diagnostic("AC024", message, unexpected.label(), help_)


def missing_comparison(unexpected: Unexpected) -> Diagnostic | None:
    """`Active AND …`, `Age 80`."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or "OPERATOR" not in unexpected.accepted:
        return None
    name = text_of(unexpected.words_before or [previous])
    constant = token.text if token.type in ("NUMBER", "STRING") else "'true'"
    message = f"{quote(name)} is not compared with a constant: expected {unexpected.expected}"
    help_ = f"write `{name} = {constant}`"
    return Diagnostic("AC025", f"{message}, found {unexpected.found}", unexpected.label(), help_)


def early_end(unexpected: Unexpected) -> Diagnostic | None:
    if not unexpected.at_end:
        return None
    message = f"expected {unexpected.expected}, found the end of the requirement"
    return Diagnostic("AC015", message, unexpected.label(), f"write `{unexpected.sample}`")


MISSING: tuple[Rule, ...] = (
    empty_requirement,
    condition_after_result,
    missing_colon,
    missing_condition,
    aggregate,
    missing_as,
    unknown_action,
    missing_comparison,
    early_end,
)
