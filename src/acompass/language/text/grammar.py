"""The input and the output of `grammar.lark`: its terminals, and the nodes that its productions become.

The parser runs the automaton in `grammar.table`, which `tests/text/grammar_table.py` computes with Lark whenever the
grammar changes: computing it in every command would take longer than the rest of `acompass fmt`.

Words of forms beyond the paper are keywords only where no core program can have a word (X0). The parser therefore calls
`reclassify` only if a requirement does not parse as one of the paper."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from sys import intern
from typing import Any, NamedTuple

from acompass.errors.diagnostics import Span
from acompass.language.text import tree
from acompass.language.text.tokens import AGGREGATES, Token, unquote

_PREDICATES = frozenset({"IN", "BETWEEN", "LIKE"})
_UNEQUAL = frozenset({"!=", "<>"})
_PAPER_STEPS = frozenset({"REJECT", "REPLACE", "RANDOM", "WITH"})
#: the actions of X2 and X3, and all actions beyond the paper
FIRST_ACTIONS = frozenset({"GENERALIZE", "DROP"})
ALL_ACTIONS = FIRST_ACTIONS | {"PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE"}
#: the words inside each map, by its first word
_MAP_WORDS: dict[str, frozenset[str]] = {
    "BANDS": frozenset({"OF", "FROM", "UP", "TO", "AT"}),
    "PREFIX": frozenset({"OF"}),
    "LEVEL": frozenset({"OF", "ELSE"}),
    "NEAREST": frozenset(),
    **dict.fromkeys(("MONTH", "QUARTER", "YEAR", "DECADE"), frozenset()),
}
_END = frozenset({"COLON", "SEMICOLON"})
_CONSTANTS = frozenset({"NUMBER", "STRING", "PARAMETER"})


def reclassify(segment: list[Token], actions: frozenset[str] = ALL_ACTIONS) -> list[Token]:
    """The tokens of a requirement, with the words of forms beyond the paper as terminals of their own.

    `actions` are the words that begin an action beyond the paper. Without PSEUDONYM among them, the bounds in
    `RANDOM a b c then PSEUDONYM x` are its last two words, as they were before the word existed (X0).
    """
    return _Classifier(segment, actions).classify()


class _Classifier:
    """Reads tokens from left to right and gives each its terminal. The last token, a semicolon, is never consumed."""

    def __init__(self, tokens: list[Token], actions: frozenset[str]):
        self._tokens = tokens
        self._actions = actions
        self._at = 0
        self._out: list[Token] = []

    def classify(self) -> list[Token]:
        if self._is_word("ALWAYS"):
            self._keep("ALWAYS")
        else:
            self._read_result()
            self._read_colon()
            self._read_condition(_END)
        self._read_colon()
        self._read_action()
        return [*self._out, *self._tokens[self._at :]]

    @property
    def _type(self) -> str:
        return self._tokens[self._at].type

    @property
    def _word(self) -> str:
        """The current word in capitals; empty if the token is not a bare word."""
        return _upper(self._tokens[self._at])

    def _is_word(self, *words: str) -> bool:
        return self._word in words

    def _keep(self, kind: str | None = None) -> None:
        token = self._tokens[self._at]
        if token.type != "SEMICOLON":
            self._out.append(token if kind is None else token._replace(type=kind))
            self._at += 1

    def _keep_until(self, kinds: frozenset[str]) -> None:
        while self._type not in kinds and self._type != "SEMICOLON":
            self._keep()

    def _keep_constant(self) -> None:
        """Reads a constant. A bare word is a parameter here."""
        if self._type == "WORD":
            self._keep("PARAMETER")
        elif self._type in _CONSTANTS:
            self._keep()

    def _read_colon(self) -> None:
        if self._type == "COLON":
            self._keep()

    def _read_result(self) -> None:
        self._keep_until(frozenset({"FILTER", "PROCESS", "COLON"}))
        if self._type == "PROCESS":
            self._read_aggregates()
        if self._type in ("FILTER", "WHERE"):
            self._keep()
            self._read_condition(_END | {"GROUP_BY"})
        self._keep_until(_END)

    def _read_aggregates(self) -> None:
        while self._type not in ("WHERE", "GROUP_BY", *_END):
            before = self._type
            self._keep()
            if before in ("PROCESS", "COMMA") and self._is_word("SHARE"):
                self._read_share()
            elif before == "COMMA" and self._word.lower() in AGGREGATES:
                self._read_aggregate()
            elif before == "RPAR" and self._is_word("IN"):
                self._keep("IN")

    def _read_aggregate(self) -> None:
        self._keep(self._word)
        if self._out[-1].type == "COUNT" and self._is_word("DISTINCT"):
            count, distinct = self._out.pop(), self._tokens[self._at]
            self._keep()
            self._out[-1] = Token("COUNT_DISTINCT", f"{count.text} {distinct.text}", count.start, distinct.end)

    def _read_share(self) -> None:
        self._keep("SHARE")
        if self._is_word("OF"):
            self._keep("OF")
        if self._is_word("LARGEST"):
            self._keep("LARGEST")
            self._keep_constant()
        elif self._is_word("MODE"):
            self._keep("MODE")

    def _read_condition(self, ends: frozenset[str]) -> None:
        while self._type not in ends:
            if self._begins_action():
                self._read_action()
                return
            if self._type in ("WORD", "QUOTED"):
                self._read_literal()
            else:
                self._keep()

    def _begins_action(self) -> bool:
        """Whether an action begins although the colon or the condition before it is missing: `Age = 3 DROP Name`."""
        if self._word not in self._actions or self._out[-1].type not in (*_CONSTANTS, "RPAR", "COLON"):
            return False
        end = self._end_of_words()
        is_compared = self._tokens[end].type in ("OPERATOR", "HABIT", "NOT")
        return not is_compared and all(_upper(word) not in _PREDICATES for word in self._tokens[self._at + 1 : end])

    def _end_of_words(self) -> int:
        at = self._at + (self._type == "QUOTED")
        while self._tokens[at].type == "WORD":
            at += 1
        return at

    def _read_literal(self) -> None:
        end = self._end_of_words()
        following = self._tokens[end]
        predicate = self._find_predicate(end)
        if following.type == "OPERATOR":
            self._keep_words(end)
        elif following.text in _UNEQUAL:
            self._keep_words(end)
            self._keep("UNEQUAL")
            self._keep_constant()
        elif following.type == "NOT" and _upper(self._tokens[end + 1]) in _PREDICATES:
            self._keep_words(end)
            self._keep("NEGATING")
            self._read_predicate()
        elif predicate is not None:
            self._keep_words(predicate)
            self._read_predicate()
        else:
            self._keep_words(end)

    def _keep_words(self, end: int) -> None:
        while self._at < end:
            self._keep()

    def _find_predicate(self, end: int) -> int | None:
        """The index of IN, BETWEEN or LIKE after a name."""
        places = [at for at in range(self._at + 1, end) if _upper(self._tokens[at]) in _PREDICATES]
        if end - 2 in places and self._tokens[end].type == "AND" and _upper(self._tokens[end - 2]) == "BETWEEN":
            return end - 2  # the last word is a parameter, whatever its name
        return places[-1] if places else None

    def _read_predicate(self) -> None:
        word = self._word
        self._keep(word)
        if word == "BETWEEN":
            self._keep_constant()
            if self._type == "AND":
                self._keep()
                self._keep_constant()
        elif word == "IN" and self._type == "LPAR":
            self._read_list()

    def _read_list(self) -> None:
        """Reads the constants in parentheses after IN, or the weighted values after FROM."""
        while self._type not in ("RPAR", *_END) and not self._ends_list():
            before = self._out[-1].type
            if self._is_word("OF") and before == "NUMBER":
                self._keep("OF")
            else:
                self._keep("PARAMETER" if self._type == "WORD" and before not in _CONSTANTS else None)
        if self._type == "RPAR":
            self._keep()

    def _ends_list(self) -> bool:
        """Whether this is the THEN of the next step: the closing parenthesis is missing."""
        return self._is_word("THEN") and self._begins_step(self._tokens[self._at + 1])

    def _read_action(self) -> None:
        self._read_step()
        while self._is_word("THEN"):
            self._keep("THEN")
            self._read_step()

    def _read_step(self) -> None:
        if self._type == "WITH":
            self._read_probability()
        reader = _READERS.get(self._word or self._type)
        if reader is not None:
            reader(self)

    def _begins_step(self, token: Token) -> bool:
        return token.type in _PAPER_STEPS or _upper(token) in self._actions

    def _read_replace(self) -> None:
        self._keep_until(frozenset({"WITH"}))
        self._keep()
        self._keep_constant()

    def _read_probability(self) -> None:
        """Reads WITH PROBABILITY and its number. To `tokens`, a word after WITH is a parameter."""
        self._keep()
        if self._tokens[self._at].text.upper() == "PROBABILITY":
            self._keep("PROBABILITY")
        if self._type == "NUMBER":
            self._keep()

    def _read_random(self) -> None:
        self._keep()
        start = self._find_from()
        if start is not None:
            self._keep_words(start)
            self._keep("FROM")
            self._read_list()
            return
        first = len(self._out)
        while self._type in ("WORD", "QUOTED", "NUMBER") and not self._ends_random(first):
            self._keep()
        if len(self._out) - first > 2:
            self._out[-2:] = [to_bound(token) for token in self._out[-2:]]

    def _find_from(self) -> int | None:
        """The index of FROM after a name, if parentheses follow: no core program has them here."""
        end = self._end_of_words()
        if self._tokens[end].type != "LPAR":
            return None
        places = (at for at in range(self._at + 1, end) if _upper(self._tokens[at]) == "FROM")
        return next(places, None)

    def _ends_random(self, first: int) -> bool:
        """Whether this is the THEN after a name and two bounds."""
        if not self._is_word("THEN") or len(self._out) - first < 3:
            return False
        has_numbers = all(token.type == "NUMBER" for token in self._out[-2:])
        return has_numbers or self._begins_step(self._tokens[self._at + 1])

    def _read_generalize(self) -> None:
        self._keep("GENERALIZE")
        self._keep_words(self._end_of_generalized())
        if self._is_word("TO"):
            self._keep("TO")
        if self._word in _MAP_WORDS:
            self._read_map()

    def _end_of_generalized(self) -> int:
        """The index of TO, or of the map if TO is missing."""
        end = self._end_of_words()
        words = [_upper(token) for token in self._tokens[self._at : end]]
        if "TO" in words:
            return self._at + words.index("TO")
        maps = [at for at, word in enumerate(words) if at and word in _MAP_WORDS]
        return self._at + maps[0] if maps else end

    def _read_map(self) -> None:
        own = _MAP_WORDS[self._word]
        self._keep(self._word)
        while not (self._is_word("THEN") or self._type in _END):
            is_otherwise = self._is_word("ELSE")
            self._keep(self._word if self._word in own else None)
            if is_otherwise:
                self._keep_constant()

    def _read_drop(self) -> None:
        self._keep("DROP")
        if self._is_word("COLUMN", "COLUMNS") and self._tokens[self._at + 1].type in ("WORD", "QUOTED"):
            self._keep("COLUMN")  # SQL's DROP COLUMN; no production accepts this terminal
        self._read_last_names()

    def _read_last_names(self) -> None:
        """Reads the names at the end of a step: a THEN after one of them begins the next step."""
        while self._type in ("WORD", "QUOTED", "COMMA"):
            if self._is_word("THEN") and self._out[-1].type in ("WORD", "QUOTED"):
                return
            self._keep()

    def _read_pseudonym(self) -> None:
        self._keep("PSEUDONYM")
        self._read_last_names()

    def _read_shift(self) -> None:
        self._keep("SHIFT")
        self._read_names_and_by()
        end = self._end_of_words()
        places = (at for at in range(self._at + 1, end) if _upper(self._tokens[at]) == "WITHIN")
        self._keep_words(next(places, end))
        if self._is_word("WITHIN"):
            self._keep("WITHIN")
            self._keep_constant()
        if self._is_word("DAYS"):
            self._keep("DAYS")

    def _read_names_and_by(self) -> None:
        while self._type in ("WORD", "QUOTED", "COMMA"):
            self._keep()
        if self._type == "BY":
            self._keep()

    def _read_add_random(self) -> None:
        self._keep("ADD")
        if self._type == "RANDOM":
            self._keep()
            self._keep_constant()
            self._keep_constant()
        if self._is_word("TO"):
            self._keep("TO")
        self._read_last_names()

    def _read_microaggregate(self) -> None:
        self._keep("MICROAGGREGATE")
        self._read_names_and_by()
        self._keep_constant()


#: how to read each step, by its first word
_READERS: dict[str, Callable[[_Classifier], None]] = {
    "REJECT": _Classifier._keep,
    "REPLACE": _Classifier._read_replace,
    "RANDOM": _Classifier._read_random,
    "GENERALIZE": _Classifier._read_generalize,
    "DROP": _Classifier._read_drop,
    "PSEUDONYM": _Classifier._read_pseudonym,
    "SHIFT": _Classifier._read_shift,
    "ADD": _Classifier._read_add_random,
    "MICROAGGREGATE": _Classifier._read_microaggregate,
}


def _upper(token: Token) -> str:
    return token.text.upper() if token.type == "WORD" else ""


def to_bound(token: Token) -> Token:
    """The token as a bound of RANDOM, where a word is a parameter."""
    return token._replace(type="PARAMETER") if token.type == "WORD" else token


_OPERATORS = {"≤": tree.Operator.LE, "≥": tree.Operator.GE, **{str(o): o for o in tree.Operator}}
_FUNCTIONS = {
    "SUM": tree.Function.SUM,
    "MIN": tree.Function.MIN,
    "MAX": tree.Function.MAX,
    "COUNT": tree.Function.COUNT,
    "COUNT_DISTINCT": tree.Function.COUNT_DISTINCT,
    "LARGEST": tree.Function.SHARE_OF_LARGEST,
    "MODE": tree.Function.SHARE_OF_MODE,
}


def _across(children: list[Any]) -> Span:
    first, last = children[0], children[-1]
    start = first.start if type(first) is Token else first.span.start
    return Span(start, last.end if type(last) is Token else last.span.end)


def _is_negated(children: list[Any]) -> bool:
    """Whether NOT follows the name of a predicate."""
    return type(children[1]) is Token and children[1].type == "NEGATING"


def _number_after(kind: str, children: list[Any]) -> tree.Number | None:
    for word, number in pairwise(children):
        if type(word) is Token and word.type == kind:
            found: tree.Number = number
            return found
    return None


#: the nodes of productions whose children are the node's fields, and which children they are; a slice is one field
_NODES: dict[str, tuple[Callable[..., Any], tuple[int | slice, ...]]] = {
    "always": (tree.Always, ()),
    "everything": (tree.Result, ()),
    "filter": (tree.Filter, (1,)),
    "negation": (tree.Not, (1,)),
    "product": (tree.And, (slice(0, None, 2),)),
    "condition": (tree.Or, (slice(0, None, 2),)),
    "then": (tree.Then, (slice(0, None, 2),)),
    "sometimes": (tree.Sometimes, (2, 3)),
    "reject": (tree.Reject, ()),
    "replace": (tree.Replace, (1, 3)),
    "random": (tree.Random, (1, 2, 3)),
    "draw": (tree.Draw, (1, slice(4, -1, 2))),
    "generalize": (tree.Generalize, (1, 3)),
    "drop": (tree.Drop, (slice(1, None, 2),)),
    "pseudonym": (tree.Pseudonym, (1,)),
    "add_random": (tree.AddRandom, (2, 3, 5)),
    "microaggregate": (tree.Microaggregate, (1, 3)),
    "bands_at": (tree.BandsAt, (slice(2, None, 2),)),
    "prefix_of": (tree.PrefixOf, (2,)),
    "nearest": (tree.Nearest, (1,)),
}


class TreeBuilder:
    """Builds the other nodes: the method named like a production gets its children, all tokens included."""

    def requirement(self, children: list[Any]) -> tree.Requirement:
        action = children[2] if len(children) == 4 else None
        return tree.Requirement(children[0], action, _across(children))

    def assertion(self, children: list[Any]) -> tree.Assertion:
        quantifier, result, _, condition = children
        return tree.Assertion(tree.Quantifier(quantifier.type), result, condition, _across(children))

    def process(self, children: list[Any]) -> tree.Process:
        first, *others = [child for child in children if isinstance(child, tree.NamedAggregate)]
        rest = children[2 + 2 * len(others) :]
        groups = rest.pop() if rest and isinstance(rest[-1], _Groups) else _Groups()
        where = rest[1] if rest else None
        last = [first, *others][-1]
        end = groups.span if groups.names else (where or last.alias).span
        span = children[0].span.to(end)
        return tree.Process(first.aggregate, first.alias, where, groups.names, tuple(others), span)

    def named(self, children: list[Any]) -> tree.NamedAggregate:
        aggregate, _, alias = children
        return tree.NamedAggregate(aggregate, alias)

    def group_by(self, children: list[Any]) -> "_Groups":
        return _Groups(tuple(children[1::2]))

    def aggregate(self, children: list[Any]) -> tree.Aggregate:
        column = next((child for child in children if isinstance(child, tree.Name)), None)
        largest = next((child for child in children if isinstance(child, tree.Number | tree.Parameter)), None)
        file = next((child for child in children if isinstance(child, tree.String)), None)
        kind = children[2].type if children[0].type == "SHARE" else children[0].type
        return tree.Aggregate(_FUNCTIONS[kind], column, _across(children), largest, file)

    def parenthesized(self, children: list[Any]) -> Any:
        return replace(children[1], span=_across(children))

    def comparison(self, children: list[Any]) -> tree.Comparison:
        name, operator, constant = children
        return tree.Comparison(name, _OPERATORS[operator.text], constant, _across(children))

    def unequal(self, children: list[Any]) -> tree.Unequal:
        name, sign, constant = children
        return tree.Unequal(name, tree.Inequality(sign.text), constant, _across(children))

    def is_in(self, children: list[Any]) -> tree.In:
        negated = _is_negated(children)
        return tree.In(children[0], tuple(children[3 + negated : -1 : 2]), negated, _across(children))

    def between(self, children: list[Any]) -> tree.Between:
        *_, lower, _, upper = children
        return tree.Between(children[0], lower, upper, _is_negated(children), _across(children))

    def like(self, children: list[Any]) -> tree.Like:
        return tree.Like(children[0], children[-1], _is_negated(children), _across(children))

    def weighted_value(self, children: list[Any]) -> tree.WeightedValue:
        weight = children[0] if len(children) > 1 else None
        return tree.WeightedValue(children[-1], weight, _across(children))

    def shift(self, children: list[Any]) -> tree.Shift:
        *names, _, person, _, days, _ = children[1:]
        return tree.Shift(tuple(names[::2]), person, days, _across(children))

    def bands_of(self, children: list[Any]) -> tree.BandsOf:
        start, end = _number_after("FROM", children), _number_after("TO", children)
        return tree.BandsOf(children[2], start, end, _across(children))

    def date_part(self, children: list[Any]) -> tree.DatePart:
        return tree.DatePart(tree.DateUnit(children[0].type), _across(children))

    def level_of(self, children: list[Any]) -> tree.LevelOf:
        _, level, _, file, *otherwise = children
        return tree.LevelOf(level, file, otherwise[1] if otherwise else None, _across(children))

    def name(self, children: list[Any]) -> tree.Name:
        first = children[0]
        if first.type == "QUOTED":
            return tree.Name(unquote(first.text), first.span)
        text = first.text if len(children) == 1 else " ".join([word.text for word in children])
        return tree.Name(intern(text), _across(children))

    def number(self, children: list[Token]) -> tree.Number:
        return tree.Number(Decimal(children[0].text), children[0].span)

    def string(self, children: list[Token]) -> tree.String:
        return tree.String(unquote(children[0].text), children[0].span)

    def parameter(self, children: list[Token]) -> tree.Parameter:
        return tree.Parameter(children[0].text, children[0].span)


class _Groups:
    def __init__(self, names: tuple[tree.Name, ...] = ()):
        self.names = names

    @property
    def span(self) -> Span:
        return _across(list(self.names))


class Rule(NamedTuple):
    """A production. Repetitions such as `("," name)*` have productions of their own, without a name."""

    symbol: str
    size: int  # the number of symbols that it replaces
    method: str  # of TreeBuilder or _NODES; `-` if its only child takes its place, `+` if it is a repetition
    repetition: int  # the position of a repetition among its children, -1 if there is none


_BUILDER = TreeBuilder()


def build(rule: Rule, children: list[Any]) -> Any:
    """The value of a rule: a node, or the list of the children of a repetition."""
    at = rule.repetition
    if at >= 0 and rule.method == "+":
        repeated: list[Any] = children[0]
        repeated.extend(children[1:])  # the same list, so that n repetitions take O(n) time
        return repeated
    if rule.method == "+":
        return children
    if at >= 0:
        children[at : at + 1] = children[at]
    if rule.method not in _NODES:
        return getattr(_BUILDER, rule.method)(children)
    node, fields = _NODES[rule.method]
    values = [tuple(children[each]) if type(each) is slice else children[each] for each in fields]
    return node(*values, _across(children))
