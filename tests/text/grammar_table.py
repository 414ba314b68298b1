"""Write the automaton of `grammar.lark` to `grammar.table`: `python -m tests.text.grammar_table`."""

import argparse
from collections.abc import Iterator

from lark import Lark, Token
from lark.grammar import Rule
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import Shift

from tests.repo.sources import PACKAGE

FOLDER = PACKAGE / "language" / "text"
TABLE = FOLDER / "grammar.table"
_HEADER = "# written from grammar.lark by `python -m tests.text.grammar_table`"


class _NoLexer(Lexer):
    """Tokens come from `tokens.py`."""

    def __init__(self, _: object):
        pass

    def lex(self, *_: object) -> Iterator[Token]:
        return iter(())


def table_text() -> str:
    text = (FOLDER / "grammar.lark").read_text(encoding="utf-8")
    options = {"start": "requirement", "keep_all_tokens": True, "maybe_placeholders": False}
    found = Lark(text, parser="lalr", lexer=_NoLexer, **options).parser.parser._parse_table
    rows = {
        state: {symbol: (arg if action is Shift else str(arg)) for symbol, (action, arg) in sorted(row.items())}
        for state, row in found.states.items()
    }
    rules = {str(arg): arg for row in found.states.values() for action, arg in row.values() if action is not Shift}
    rule_numbers = {text: number for number, text in enumerate(sorted(rules))}
    state_numbers = _number_states(rows, found.start_states["requirement"])

    def code(step: object) -> int:
        return -1 - rule_numbers[step] if isinstance(step, str) else state_numbers[step]

    end = found.end_states["requirement"]
    states = [
        " ".join(["state", *(f"{symbol} {code(step)}" for symbol, step in rows[state].items() if state != end)])
        for state in state_numbers
    ]
    return "\n".join([_HEADER, *(_rule_line(rules[each]) for each in sorted(rules)), *states, ""])


def _number_states(rows: dict[object, dict[str, object]], start: object) -> dict[object, int]:
    """Number the states in the order in which a breadth-first search finds them: Lark's numbers vary."""
    numbers, pending = {start: 0}, [start]
    for state in pending:
        for step in rows[state].values():
            if not isinstance(step, str) and step not in numbers:
                numbers[step] = len(numbers)
                pending.append(step)
    return numbers


def _rule_line(rule: Rule) -> str:
    symbols = [symbol.name for symbol in rule.expansion]
    repetitions = [at for at, name in enumerate(symbols) if name.startswith("__")]
    assert len(repetitions) <= 1, rule
    if rule.origin.name.startswith("__"):
        assert repetitions in ([], [0]), rule
        method = "+"
    elif rule.options.expand1 and rule.alias is None and len(symbols) == 1:
        method = "-"
    else:
        method = rule.alias or rule.origin.name
    return f"rule {rule.origin.name} {len(symbols)} {method} {repetitions[0] if repetitions else -1}"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    TABLE.write_text(table_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
