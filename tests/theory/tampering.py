"""Tampered certificates: whatever `verify` accepts, it prints, and what it prints is true.

Every node of a certificate is deleted, duplicated, swapped, copied, renamed and changed, alone or consistently, and its
text is edited. An accepted file must be JSON without duplicate members; what `verify` prints, read back, must be what
the file says, so that a file with another meaning has another text; and its claims must hold for random tables.

`python -m tests.theory.tampering --files 20000`"""

import argparse
import copy
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any

from acompass.language.program.checker import check
from acompass.language.program.program import Program
from acompass.language.program.types import FLOAT, INTEGER, TEXT, Column, Schema, Type, Value, decimal
from acompass.language.text.parser import parse_text
from acompass.prove.certify.certificate import Certified, build_certificate, certify
from acompass.prove.certify.encoding import encode_assertion, encode_requirement
from acompass.prove.search.verdicts import ProvedClaim, prove_policy
from acompass.semantics.core import Record, holds
from tests.prove.certify.campaign import Figures, certificates, statements
from tests.prove.policies import random_trace
from tests.prove.replaying import run_or_none
from tests.theory.statements import Printed, in_normal_form, meaning_of, plain_text, read_back

_SHARE = 1_000
_TABLES = 30


class Members(list[Any]):
    """The members of an object, as lists of a name and a value: a name may be there twice."""


class Raw(str):
    """A text that is written as it is, such as a number that JSON does not have."""


def load(certificate: Any) -> Any:
    return json.loads(json.dumps(certificate), object_pairs_hook=lambda pairs: Members(map(list, pairs)))


def dump(node: Any) -> str:
    match node:
        case Members():
            return "{" + ", ".join(f"{json.dumps(name)}: {dump(value)}" for name, value in node) + "}"
        case list():
            return "[" + ", ".join(map(dump, node)) + "]"
        case Raw():
            return str(node)
        case _:
            return json.dumps(node, ensure_ascii=False)


def slots(node: Any) -> Iterator[tuple[Any, int]]:
    """The lists that hold the nodes of a file, with their positions: items of arrays, and values of members."""
    for at, child in enumerate(node if isinstance(node, list) else ()):
        if isinstance(node, Members):
            yield child, 1
            yield from slots(child[1])
        else:
            yield node, at
            yield from slots(child)


def objects(node: Any) -> Iterator[Any]:
    """The non-empty arrays and objects of a file."""
    if isinstance(node, list):
        if node:
            yield node
        for child in node:
            yield from objects(child[1] if isinstance(node, Members) else child)


_NUMBERS = ("-1", "-0", "01", "1.0", "1e0", "+1", "0x1", "1_0", "99999", "100000", "18446744073709551617", "NaN", "")
_HIDDEN = (
    *("\x00", "\n", "\x1b[2K", "\x7f", "\x85", "\xad", "\u200b", "\u202e", "\u2066", "\ufeff", "\ud800", "\U000e0041"),
)
_WORDS = (
    *("each", "some", "and", "or", "not", "<", "<=", "=", ">=", ">", "count", "distinct", "min", "result", "filter"),
    *("process", "reject", "replace", "random", "from", "generalize", "drop", "probably", "bands", "any", "integer"),
    *("text", "number", "float", "decimal", "spelled", "unchanged", "dropped", "void", "fresh", "before", "here"),
    *("back", "through", "values", "line", "own", "certificate", "a", "b", "2", "0", "n", "N2"),
    *('Age" : n >= 9', "x'; --"),
)


def _other_scalar(rng: random.Random, old: Any) -> Any:
    match old:
        case bool():
            return rng.choice((not old, None, "true", 1))
        case int():
            return rng.choice((old + 1, old - 1, 0, -old, str(old), None, Raw(rng.choice(_NUMBERS))))
        case str():
            at = rng.randint(0, len(old))
            digits = str(int(old) + rng.choice((-1, 1))) if re.fullmatch(r"-?\d+", old) else rng.choice(_WORDS)
            inserted = old[:at] + rng.choice((*_HIDDEN, "'", '"', "\\", "é", "x", "0", "-")) + old[at:]
            return rng.choice(
                (digits, digits, rng.choice(_WORDS), inserted, old[:at] + old[at + 1 :], old.swapcase(), None)
            )
        case _:
            return rng.choice((*_WORDS, 0, 1, True, None, Members(), []))


def _delete(rng: random.Random, root: Any, donor: Any) -> None:
    where = rng.choice(list(objects(root)))
    del where[rng.randrange(len(where))]


def _duplicate(rng: random.Random, root: Any, donor: Any) -> None:
    where = rng.choice(list(objects(root)))
    where.insert(rng.randint(0, len(where)), copy.deepcopy(rng.choice(where)))


def _duplicate_with_another_value(rng: random.Random, root: Any, donor: Any) -> None:
    where = rng.choice([each for each in objects(root) if isinstance(each, Members)])
    holder, at = rng.choice(list(slots(donor)))
    where.insert(rng.randint(0, len(where)), [rng.choice(where)[0], copy.deepcopy(holder[at])])


def _swap(rng: random.Random, root: Any, donor: Any) -> None:
    (one, at), (other, there) = rng.choices(list(slots(root)), k=2)
    one[at], other[there] = copy.deepcopy(other[there]), copy.deepcopy(one[at])


def _swap_neighbors(rng: random.Random, root: Any, donor: Any) -> None:
    where = rng.choice(list(objects(root)))
    at, there = rng.randrange(len(where)), rng.randrange(len(where))
    where[at], where[there] = where[there], where[at]


def _copy(rng: random.Random, root: Any, donor: Any) -> None:
    (one, at), (other, there) = rng.choice(list(slots(root))), rng.choice(list(slots(donor)))
    one[at] = copy.deepcopy(other[there])


def _scalar(rng: random.Random, root: Any, donor: Any) -> None:
    where, at = rng.choice([(where, at) for where, at in slots(root) if not isinstance(where[at], list)])
    where[at] = _other_scalar(rng, where[at])


def _statement(root: Any) -> list[Any]:
    """A certificate without the proofs, whose scalars are most of a file."""
    parts = dict(root)
    shown = [parts[name] for name in ("policy", "columns", "types", "program")]
    return shown + [dict(claim)[name] for claim in parts["claims"] for name in ("assertion", "known")]


def _scalar_in_the_statement(rng: random.Random, root: Any, donor: Any) -> None:
    _scalar(rng, _statement(root), donor)


_ALIKE = (
    ("<", "<=", "=", ">=", ">"),
    ("integer", "text", "boolean", "date", "timestamp", "number", "float", None),
    ("sum", "min", "max", "distinct"),
    ("bands", "any"),
    ("each", "some"),
    ("reject", None),
    ("and", "or"),
)


def _well_formed(rng: random.Random, root: Any, donor: Any) -> None:
    """Another operator, bound, column, type, function or action in the statement."""
    places = [(where, at) for where, at in slots(_statement(root)) if not isinstance(where[at], list)]
    where, at = rng.choice(places)
    old = where[at]
    if isinstance(old, int) and not isinstance(old, bool):
        where[at] = rng.randrange(len(dict(root)["columns"]) + 2)
    elif isinstance(old, str) and re.fullmatch(r"-?\d+", old):
        where[at] = str(int(old) + rng.choice((-1, 1)))
    else:
        kinds = [kind for kind in _ALIKE if old in kind]
        others = [place[at] for place, at in places if isinstance(place[at], str)]
        where[at] = rng.choice(rng.choice(kinds) if kinds else others)


def _everywhere(rng: random.Random, root: Any, donor: Any) -> None:
    """Change all equal scalars, so that a file stays consistent."""
    found = [(where, at) for where, at in slots(root) if isinstance(where[at], int | str)]
    holder, place = rng.choice(found)
    old, new = holder[place], _other_scalar(rng, holder[place])
    for where, at in found:
        if type(where[at]) is type(old) and where[at] == old:
            where[at] = new


def _constant_everywhere(rng: random.Random, root: Any, donor: Any) -> None:
    """Another k, in the policy, the claim and the proof."""
    numbers = [pair for pair in _pairs(root) if pair[0] in ("integer", "decimal", "text")]
    if numbers:
        name, old = rng.choice(numbers)
        new = _other_scalar(rng, old)
        for pair in numbers:
            if pair[:] == [name, old]:
                pair[1] = new


def _pairs(root: Any) -> list[Any]:
    return [pair for each in objects(root) if isinstance(each, Members) for pair in each]


def _rename(rng: random.Random, root: Any, donor: Any) -> None:
    pairs = _pairs(root)
    rng.choice(pairs)[0] = rng.choice((rng.choice(pairs)[0], "claim", "text", "line", "", "Version"))


def _add(rng: random.Random, root: Any, donor: Any) -> None:
    where = rng.choice([each for each in objects(root) if isinstance(each, Members)])
    text = rng.choice(("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 1000", "accepted\n", ""))
    where.insert(rng.randint(0, len(where)), [rng.choice(("claim", "text", "line", "note")), text])


def _columns(rng: random.Random, root: Any, donor: Any) -> None:
    parts = dict(root)
    for name in rng.choice((("columns",), ("types",), ("columns", "types"))):
        rng.shuffle(parts[name])


TEXT_EDITED = "the text edited"
WELL_FORMED = "a well-formed change of the statement"
#: how a file is changed; the second certificate gives nodes to the first
CHANGES: dict[str, Callable[[random.Random, Any, Any], None]] = {
    "a node deleted": _delete,
    "a node duplicated": _duplicate,
    "a member with two values": _duplicate_with_another_value,
    "two nodes swapped": _swap,
    "two neighbors swapped": _swap_neighbors,
    "a node copied": _copy,
    "a scalar changed": _scalar,
    "a scalar of the statement changed": _scalar_in_the_statement,
    WELL_FORMED: _well_formed,
    "equal scalars changed": _everywhere,
    "equal constants changed": _constant_everywhere,
    "a member renamed": _rename,
    "a member added": _add,
    "columns shuffled": _columns,
}


_TOKENS = ("", *'{}[],:"\\ -0129eE.tn', "null", '"a"', "\\u0000", "\\ud83d", "//", "\x0b")


def _edited(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    end = start + rng.choice((0, 1, 1, 2, 5))
    return text[:start] + rng.choice(_TOKENS) + text[end:]


def tampered(rng: random.Random, certificate: Any, donor: Any) -> tuple[str, str]:
    """A change of the certificate, and the text of the changed file."""
    name = rng.choice((*CHANGES, *[WELL_FORMED] * 3, TEXT_EDITED))
    root = load(certificate)
    if name == TEXT_EDITED:
        return name, _edited(rng, dump(root))
    for _ in range(rng.choice((1, 1, 1, 2))):
        CHANGES[name](rng, root, load(donor))
    return name, dump(root)


def every_node(certificate: Any, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Each node in turn without it, with two of it, with null in its place and, if it is a scalar, with another one."""
    root = load(certificate)
    for where, place in [(each, place) for each in objects(root) for place in range(len(each))]:
        before = list(where)
        holder, key = (where[place], 1) if isinstance(where, Members) else (where, place)
        old = holder[key]
        where.insert(place, where[place])
        yield "every node duplicated", dump(root)
        del where[place : place + 2]
        yield "every node deleted", dump(root)
        where[:] = before
        for name, new in (("null", None), ("changed", _other_scalar(rng, old))):
            holder[key] = new
            yield f"every node {name}", dump(root)
        holder[key] = old


@dataclass
class Outcome:
    files: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    tables: int = 0
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        outcomes = self.outcomes
        return (
            f"tampering: {self.files:,} files, {outcomes['not a certificate']:,} not certificates, "
            f"{outcomes['refused']:,} refused; accepted: {outcomes['same meaning']:,} with the same meaning and text, "
            f"{outcomes['true']:,} with another that is printed and true of {self.tables:,} tables, "
            f"{outcomes['foreign']:,} that are printed but not policies of the language, {len(self.broken):,} wrongly"
        )


@dataclass(frozen=True)
class Changed:
    """A certificate, the change, and the text of the changed file."""

    certificate: Any
    change: str
    text: str


def count_files(rng: random.Random, files: Sequence[Changed], outcome: Outcome) -> None:
    originals = list({json.dumps(file.certificate): None for file in files})
    printed_before = dict(zip(originals, statements(originals), strict=True))
    for file, after in zip(files, statements([file.text for file in files]), strict=True):
        before = printed_before[json.dumps(file.certificate)]
        outcome.files += 1
        outcome.kinds[file.change] += 1
        try:
            outcome.outcomes[judge(rng, file, before, after, outcome)] += 1
        except (AssertionError, ValueError) as problem:
            outcome.broken.append(f"{file.change}: {problem!r}\n{file.text}\n" + "\n".join(after))


def judge(rng: random.Random, file: Changed, before: Sequence[str], after: Sequence[str], outcome: Outcome) -> str:
    """What became of a file. Raise AssertionError or ValueError if it is accepted and should not be."""
    if "a" not in after[0]:
        return "not a certificate" if after[0] == "?" else "refused"
    assert all(line.isprintable() for line in after), "a character that a terminal does not show"
    content = json.loads(file.text, object_pairs_hook=_unique, parse_float=_refuse, parse_constant=_refuse)
    printed = read_back(after[1:])
    meaning = in_normal_form(meaning_of(content))
    assert in_normal_form(printed.meaning) == meaning, "the file says something else than what is printed"
    assert printed.accepted == after[0]
    if meaning == in_normal_form(meaning_of(file.certificate)):
        assert before[1:] == [re.sub("^  refused   ", "  accepted  ", line) for line in after[1:]], "another text"
        return "same meaning"
    return _try_tables(rng, printed, outcome)


def _unique(pairs: list[tuple[str, Any]]) -> Any:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a duplicate member")
    return dict(pairs)


def _refuse(text: str) -> Any:
    raise ValueError(f"the number {text}")


_COLUMNS: dict[str, tuple[Type, Sequence[Value]]] = {
    "integer": (INTEGER, (-1, 0, 1, 2, 3, 4, 5)),
    "text": (TEXT, ("", "a", "b", "ab", "c", "x", "A", "2", "*", "2018-03-05")),
    "float": (FLOAT, (-0.5, 0.0, 0.5, 1.0, 2.5)),
    "number": (decimal(1), [Decimal(5 * each).scaleb(-1) for each in range(-3, 11)]),
}


def _try_tables(rng: random.Random, printed: Printed, outcome: Outcome) -> str:
    """Run the printed policy on random tables: its claims must hold. The types may be those of no policy."""
    meaning = printed.meaning
    kinds = [_COLUMNS.get(type_ if isinstance(type_, str) else "number") for type_ in meaning["types"]]
    if None in meaning["types"] or None in kinds:
        return "foreign"
    found = [kind for kind in kinds if kind is not None]
    schema = tuple(Column(name, kind[0]) for name, kind in zip(meaning["columns"], found, strict=True))
    program = _program("\n".join(map(plain_text, printed.requirements)), schema)
    if program is None or _meanings(program.requirements) != in_normal_form(meaning)["program"]:
        return "foreign"
    claims = [_program(f"{plain_text(claim)};", program.final_schema) for claim in printed.claims]
    pools = [[*kind[1], *_constants(printed.requirements, kind[0])] for kind in found]
    for _ in range(_TABLES):
        narrow = [rng.sample(pool, rng.randint(1, 3)) for pool in pools]
        records = [tuple(map(rng.choice, narrow)) for _ in range(rng.choice((1, 2, 3, 6, 12)))]
        _try_table(rng, printed, program, claims, records, outcome)
    return "true" if all(claims) else "foreign"


def _program(text: str, schema: Schema) -> Program | None:
    parsed, findings = parse_text(text)
    return None if findings else check(parsed, text, schema, {})[0]


def _meanings(requirements: Sequence[Any]) -> Any:
    return in_normal_form({"program": list(map(encode_requirement, requirements)), "claims": []})["program"]


def _constants(texts: Sequence[str], type_: Type) -> list[Value]:
    if type_ not in (INTEGER, TEXT):
        return []
    pattern = r"'(\w*)'" if type_ is TEXT else r"(?<![\w'.])-?\d+(?![\w'.])"
    found = {word for text in texts for word in re.findall(pattern, text)}
    return sorted(found) if type_ is TEXT else sorted(map(int, found))


def _try_table(
    rng: random.Random,
    printed: Printed,
    program: Program,
    claims: Sequence[Program | None],
    records: list[Record],
    outcome: Outcome,
) -> None:
    ran = run_or_none(program, records, random_trace(rng, 12 * len(records) * len(program.requirements)))
    if ran is None:
        return
    outcome.tables += 1
    for letter, claim, read in zip(printed.accepted, claims, printed.meaning["claims"], strict=True):
        if letter == "a" and claim is not None and all(ran.requirements[at].holds for at in read["known"]):
            (requirement,) = claim.requirements
            assert _normal_claim(encode_assertion(requirement.assertion)) == _normal_claim(read["assertion"])
            assert holds(ran.records, requirement.assertion), f"false for {records}"


def _normal_claim(assertion: Any) -> Any:
    return in_normal_form({"program": [], "claims": [{"assertion": assertion, "known": []}]})["claims"]


#: certificates with every type, literal, conversion and action, and with checks that the claims rest on
_EXAMPLES = (
    (
        {
            "id": "text",
            "born": "date",
            "seen": "timestamp",
            "ill": "boolean",
            "w": "float",
            "n": "integer",
            "2 x": "text",
        },
        """EACH RESULT : w < -0.1 OR born >= '2001-02-03' AND NOT ill = 'true' AND seen > '2018-03-05T10:11:12.000013';
        ALWAYS : DROP id;
        EACH FILTER "2 x" = 'it''s' : n >= -1.5 AND n < 3 : WITH PROBABILITY 0.125 REPLACE n WITH 2.50;
        EACH RESULT : w >= 1.0 : RANDOM w 1 2;
        SOME RESULT : w > 0.5;
        EACH RESULT : seen <= '2018-03-05' : REPLACE seen WITH '2018-03-05T00:00:00';
        EACH RESULT : ill = 'true' : RANDOM ill FROM (2 OF 'true', 'false');
        EACH PROCESS COUNT(*) AS m, COUNT DISTINCT(n) AS d WHERE w > 0 GROUP BY born, "2 x" : m >= 2 AND d > 1
          : GENERALIZE born TO YEAR THEN GENERALIZE n TO BANDS OF 5 THEN REJECT;
        ALWAYS : REPLACE w WITH 'x';""",
        (
            """EACH PROCESS COUNT(*) AS m WHERE "2 x" = 'a' OR "2 x" <> 'a' GROUP BY born, "2 x" : m >= 1""",
            "EACH RESULT : ill = 'true' OR ill = 'false'",
            "EACH RESULT : seen <= '2018-03-05T00:00:00' OR seen > '2018-03-05'",
            "EACH RESULT : w = 'x'",
        ),
    ),
    (
        {"Age": "integer", "Zip": "text"},
        """EACH RESULT : Age >= 0;
        EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 : REJECT;
        EACH RESULT : Zip <> '21201' : REPLACE Zip WITH '212**';""",
        ("EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3", "EACH RESULT : Age > -1"),
    ),
)


@cache
def examples() -> tuple[Any, ...]:
    """The certificates of `_EXAMPLES`."""
    return tuple(_example(*each) for each in _EXAMPLES)


def _example(types: dict[str, str], policy: str, claims: Sequence[str]) -> Any:
    proved: list[ProvedClaim] = []
    prove_policy(parse_text(policy)[0], policy, claims, types, on_proof=proved.append)
    certified = [each for each in map(certify, proved) if isinstance(each, Certified)]
    assert len(certified) == len(claims), proved
    return build_certificate(policy, proved, certified)


def run_share(number: int, files: int, outcome: Outcome, policies: int = 25) -> None:
    """Tamper with the certificates of a share of random policies."""
    rng = random.Random(f"tamper {number}")
    seeds = range(number * policies, (number + 1) * policies)
    found = [*examples(), *(each.certificate for each in certificates(seeds, Figures()))]
    chosen = [(rng.choice(found), rng.choice(found)) for _ in range(files)]
    count_files(rng, [Changed(each, *tampered(rng, each, donor)) for each, donor in chosen], outcome)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first share")
    options = parser.parse_args()
    outcome, started = Outcome(), time.monotonic()
    for number in count(options.first):
        if outcome.files >= options.files:
            break
        run_share(number, min(_SHARE, options.files - outcome.files), outcome)
        print(f"{outcome}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(outcome)
    sys.stdout.writelines(f"{number:8,}  {name}\n" for name, number in outcome.kinds.most_common())
    sys.stdout.writelines(f"{text}\n" for text in outcome.broken[:3])
    return 1 if outcome.broken else 0


if __name__ == "__main__":
    sys.exit(main())
