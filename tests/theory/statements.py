"""What `verify` prints, read back into the form of a certificate, with the parser of the language."""

import json
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from acompass.language.text import tree
from acompass.language.text.parser import parse_text

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_TOKEN = re.compile(
    rf"(?P<typed>\b(?P<type>DATE|TIMESTAMP|BOOLEAN|FLOAT) (?P<literal>'[^']*'|[-+.\de]+))|(?P<quoted>{_QUOTED})"
    r"|(?P<coin>PROBABILITY (?P<top>\d+)/(?P<bottom>\d+))|(?P<map>TO (?P<bands>BANDS )?…)|(?P<end>;)"
)
#: the code of a probability below 2^-32 (X7), which the grammar allows
_TOO_RARE = "AC054"
_MARK = "\x01"
_PROVISO = re.compile(r" *if requirements? ([\d, and]+) holds? when the run reaches (?:it|them)")
_TYPES = ("integer", "text", "boolean", "date", "timestamp", "number", "float")
_FUNCTIONS = {"COUNT DISTINCT": "distinct", "SUM": "sum", "MIN": "min", "MAX": "max"}


@dataclass(frozen=True)
class Printed:
    """The requirements and claims, with literals such as `DATE '2018-03-05'`; `meaning` has a certificate's form."""

    requirements: tuple[str, ...]
    claims: tuple[str, ...]
    accepted: str  # a letter for each claim
    meaning: Any


def read_back(lines: Sequence[str]) -> Printed:
    sections = _sections(lines)
    columns = [_column(line) for line in sections["columns of the table"]]
    names = [name for name, _ in columns]
    requirements = [line.partition("  ")[2] for line in sections["requirements"]]
    assert [line.partition("  ")[0] for line in sections["requirements"]] == [
        str(at + 1) for at in range(len(requirements))
    ]
    claims = list(_claims(sections["claims"]))
    meaning = {
        "policy": {"sha256": re.fullmatch(r"the policy with the SHA-256 (\w+)", sections["policy"][0])[1]},  # type: ignore[index]
        "columns": names,
        "types": [type_ for _, type_ in columns],
        "program": [_requirement(text, names) for text in requirements],
        "claims": [{"assertion": _claim(text, names), "known": known} for _, text, known in claims],
    }
    letters = "".join(letter for letter, _, _ in claims)
    return Printed(tuple(requirements), tuple(text for _, text, _ in claims), letters, meaning)


def _sections(lines: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    title = ""
    for line in lines:
        if line.startswith("  "):
            found[title].append(line[2:])
            continue
        title = "claims" if line.startswith("claims ") else line
        assert title not in found, title
        found[title] = []
    return found


def _column(line: str) -> tuple[str, Any]:
    match = re.fullmatch(rf"(\w+|{_QUOTED}) +(.*)", line)
    assert match, line
    name, type_ = match.groups()
    return _unquote(name), _type(type_)


def _unquote(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _type(text: str) -> Any:
    scale = re.fullmatch(r"decimal\((\d+)\)(, spelled in any way)?", text)
    if scale:
        return ["spelled" if scale[2] else "decimal", int(scale[1])]
    assert text in (*_TYPES, "any"), text
    return None if text == "any" else text


def _claims(lines: Sequence[str]) -> Iterator[tuple[str, str, list[int]]]:
    lines = list(lines)
    while lines:
        verdict, text, known = lines[0][:10].strip(), lines.pop(0)[10:], list[int]()
        if lines and lines[0].startswith(" "):
            proviso = _PROVISO.fullmatch(lines.pop(0))
            assert proviso
            known = [int(number) - 1 for number in re.findall(r"\d+", proviso[1])]
        yield {"accepted": "a", "refused": "r"}[verdict], text, known


def plain_text(requirement: str) -> str:
    """A printed requirement as one of the language: its literals as a policy has them, and some map."""

    def replace(token: re.Match[str]) -> str:
        if token["typed"]:
            return token["literal"]
        return f"TO {'BANDS OF 2' if token['bands'] else 'PREFIX OF 1'}" if token["map"] else token[0]

    return _TOKEN.sub(replace, requirement)


def _requirement(text: str, names: Sequence[str]) -> Any:
    end = next(token.end() for token in _TOKEN.finditer(text) if token["end"])
    coins: list[Fraction] = []
    parsed = _parse(_marked(text[:end], coins))
    notes = _notes(text[end:].removeprefix(" -- "))
    written = [_conversion(note.removeprefix("written as ")) for note in notes if note.startswith("written as ")]
    changes = [_change(note, names) for note in notes if " becomes " in note]
    assert all(note in ("any map", "any bands") for note in notes[: len(notes) - len(changes) - len(written)])
    action = parsed.action and _action(parsed.action, names, "bands" if "any bands" in notes else "any", written, coins)
    if isinstance(action, list) and action[0] == "drop":
        changes = [[column, "dropped"] for column in action[1]]
    return {"assertion": _assertion(parsed.assertion, names), "types": changes, "action": action}


def _claim(text: str, names: Sequence[str]) -> Any:
    return _assertion(_parse(_marked(text, []) + ";").assertion, names)


def _parse(text: str) -> Any:
    program, findings = parse_text(text)
    assert {finding.code for finding in findings} <= {_TOO_RARE}, (text, findings)
    (requirement,) = program.requirements
    return requirement


def _marked(text: str, coins: list[Fraction]) -> str:
    """The text with typed literals as marked strings, some map, and a probability that the parser reads."""

    def replace(token: re.Match[str]) -> str:
        if token["typed"]:
            return f"'{_MARK}{token['type']} {token['literal'].strip(chr(39))}'"
        if token["coin"]:
            coins.append(Fraction(int(token["top"]), int(token["bottom"])))
            return "PROBABILITY 0.5"
        return "TO PREFIX OF 1" if token["map"] else token[0]

    return _TOKEN.sub(replace, text)


def _notes(text: str) -> list[str]:
    """The notes after a requirement, which semicolons outside of quoted names separate."""
    found, start = [], 0
    for token in _TOKEN.finditer(text):
        if token["end"]:
            found.append(text[start : token.start()].strip())
            start = token.end()
    return [note for note in (*found, text[start:].strip()) if note]


def _change(note: str, names: Sequence[str]) -> Any:
    name, _, after = note.rpartition(" becomes ")
    return [names.index(_unquote(name)), _conversion(after)]


def _conversion(text: str) -> Any:
    others = {"decimal, spelled as before": "spelled", "another type with the same values": "unchanged"}
    scale = re.fullmatch(r"decimal\((\d+)\)", text)
    assert scale or text in (*others, "text", "float"), text
    return ["decimal", int(scale[1])] if scale else others.get(text, text)


def _action(each: Any, names: Sequence[str], map_: str, written: list[Any], coins: list[Fraction]) -> Any:
    def position(name: tree.Name) -> int:
        return names.index(name.text)

    match each:
        case tree.Reject():
            return "reject"
        case tree.Replace(name, constant):
            return ["replace", position(name), _constant(constant)]
        case tree.Random(name, lower, upper):
            return ["random", position(name), *(written or ["unchanged"]), int(lower.value), int(upper.value)]  # type: ignore[union-attr]
        case tree.Draw(name, values):
            balls = [[int(ball.times), _constant(ball.constant)] for ball in values]
            return ["from", position(name), balls]
        case tree.Generalize(name, _):
            return ["generalize", position(name), map_]
        case tree.Drop(dropped):
            return ["drop", [position(name) for name in dropped]]
        case tree.Sometimes(probability, inner):
            share = coins[0] if coins else Fraction(probability.value)
            return ["probably", [share.numerator, share.denominator], _action(inner, names, map_, written, coins)]
        case _:
            raise AssertionError(each)


def _assertion(each: Any, names: Sequence[str]) -> Any:
    if isinstance(each, tree.Always):
        return ["each", "result", ["or"]]
    result, seen = _result(each.result, names)
    return [each.quantifier.lower(), result, _condition(each.condition, seen)]


def _result(each: Any, names: Sequence[str]) -> tuple[Any, Sequence[str]]:
    match each:
        case tree.Result():
            return "result", names
        case tree.Filter(condition):
            return ["filter", _condition(condition, names)], names
        case tree.Process():
            functions = [_function(one.aggregate, names) for one in each.aggregates]
            where = None if each.where is None else _condition(each.where, names)
            groups = [name.text for name in each.group_by]
            seen = [*groups, *(one.alias.text for one in each.aggregates)]
            return ["process", functions, where, [names.index(name) for name in groups]], seen
        case _:
            raise AssertionError(each)


def _function(each: tree.Aggregate, names: Sequence[str]) -> Any:
    return "count" if each.column is None else [_FUNCTIONS[each.function], names.index(each.column.text)]


def _condition(each: tree.Condition, names: Sequence[str]) -> Any:
    match each:
        case tree.Comparison(name, operator, constant):
            return [operator.value, names.index(name.text), _constant(constant)]
        case tree.Not(operand):
            return ["not", _condition(operand, names)]
        case tree.And(operands):
            return ["and", *(_condition(operand, names) for operand in operands)]
        case tree.Or(operands):
            return ["or", *(_condition(operand, names) for operand in operands)]
        case _:
            raise AssertionError(each)


def _constant(each: tree.Constant) -> Any:
    match each:
        case tree.Number(value):
            text = f"{value:f}"
            return {"decimal" if "." in text else "integer": text}
        case tree.String(value) if value.startswith(_MARK):
            return _typed_constant(*value[1:].split(" "))
        case tree.String(value):
            return {"text": value}
        case _:
            raise AssertionError(each)


def _typed_constant(type_: str, text: str) -> Any:
    match type_:
        case "FLOAT":
            (bits,) = struct.unpack(">Q", struct.pack(">d", float(text)))
            return {"float": ["-" if bits >> 63 else "+", str(bits & (2**63 - 1))]}
        case "BOOLEAN":
            return {"boolean": {"true": True, "false": False}[text]}
        case "DATE":
            return {"date": re.sub(r"\D", "", text)}
        case _:
            digits = re.sub(r"\D", "", text)
            return {"timestamp": digits.ljust(20, "0")}


def meaning_of(certificate: Any) -> Any:
    """What a certificate is about: all of it but the proofs."""
    claims = [{"assertion": claim["assertion"], "known": claim["known"]} for claim in certificate["claims"]]
    return {key: certificate[key] for key in ("policy", "columns", "types", "program")} | {"claims": claims}


def in_normal_form(meaning: Any) -> Any:
    """With one form for equal numbers, for fractions, and for conditions that differ only in their parentheses."""
    program = [
        {
            "assertion": _normal_assertion(each["assertion"]),
            "types": sorted(each["types"], key=json.dumps),
            "action": _normal_action(each["action"]),
        }
        for each in meaning["program"]
    ]
    claims = [{"assertion": _normal_assertion(each["assertion"]), "known": each["known"]} for each in meaning["claims"]]
    return meaning | {"program": program, "claims": claims}


def _normal_assertion(each: Any) -> Any:
    quantifier, result, condition = each
    if isinstance(result, list) and result[0] == "process":
        name, functions, where, groups = result
        firsts = [groups.index(group) for group in groups]
        position = _identity if len(set(groups)) == len(groups) else lambda at: firsts[at] if at < len(firsts) else at
        where = None if where is None else _normal_condition(where)
        return [quantifier, [name, functions, where, groups], _normal_condition(condition, position)]
    result = ["filter", _normal_condition(result[1])] if isinstance(result, list) else result
    return [quantifier, result, _normal_condition(condition)]


def _identity(at: int) -> int:
    return at


def _normal_condition(each: Any, position: Callable[[int], int] = _identity) -> Any:
    head, *rest = each
    if head == "not":
        return ["not", _normal_condition(rest[0], position)]
    if head in ("and", "or"):
        inner = [_normal_condition(one, position) for one in rest]
        flat = [part for one in inner for part in (one[1:] if one[0] == head else [one])]
        return flat[0] if len(flat) == 1 else [head, *flat]
    return [head, position(rest[0]), _normal_value(rest[1])]


def _normal_value(constant: Any) -> Any:
    match constant:
        case {"integer": text} | {"decimal": text}:
            return {"number": str(Fraction(Decimal(text)))}
        case {"float": [_, "0"]}:
            return {"float": ["+", "0"]}
        case _:
            return constant


def _normal_action(each: Any) -> Any:
    match each:
        case ["probably", [top, bottom], inner]:
            return ["probably", str(Fraction(top, bottom)), _normal_action(inner)]
        case ["replace", column, constant]:
            return ["replace", column, _spelled(constant)]
        case ["from", column, balls]:
            return ["from", column, [[weight, _spelled(constant)] for weight, constant in balls]]
        case _:
            return each


def _spelled(constant: Any) -> Any:
    """An integer and a decimal without a point have the same value and the same text."""
    match constant:
        case {"integer": text} | {"decimal": text}:
            return {"number": text}
        case _:
            return constant
