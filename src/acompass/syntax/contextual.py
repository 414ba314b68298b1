"""The words of the forms beyond the paper, each a keyword only where no core program can have a word (X0).

`parse` asks for them only where a requirement does not parse as one of the paper.
"""

from acompass.syntax.tokens import AGGREGATES, Token

_PREDICATES = frozenset({"IN", "BETWEEN", "LIKE"})
_UNEQUAL = frozenset({"!=", "<>"})
_NEW_ACTIONS = frozenset({"GENERALIZE", "DROP"})
_STEPS = frozenset({"REJECT", "REPLACE", "RANDOM", "WITH", *_NEW_ACTIONS})
#: the words inside each map, by its first word
_OF_MAP: dict[str, frozenset[str]] = {
    "BANDS": frozenset({"OF", "FROM", "UP", "TO", "AT"}),
    "PREFIX": frozenset({"OF"}),
    "LEVEL": frozenset({"OF", "ELSE"}),
    **dict.fromkeys(("MONTH", "QUARTER", "YEAR", "DECADE"), frozenset()),
}
_END = frozenset({"COLON", "SEMICOLON"})
_CONSTANTS = frozenset({"NUMBER", "STRING", "PARAMETER"})


def reclassified(segment: list[Token]) -> list[Token]:
    """The tokens of a requirement, with the words of forms beyond the paper as terminals of their own."""
    return _Classifier(segment).classified()


class _Classifier:
    """Moves tokens from `tokens` to `out`, from left to right. The last one is a semicolon and stays."""

    def __init__(self, tokens: list[Token]):
        self._tokens = tokens
        self._at = 0
        self._out: list[Token] = []

    def classified(self) -> list[Token]:
        if self._is_word("ALWAYS"):
            self._keep("ALWAYS")
        else:
            self._result()
            self._colon()
            self._condition(_END)
        self._colon()
        self._action()
        return [*self._out, *self._tokens[self._at :]]

    @property
    def _type(self) -> str:
        return self._tokens[self._at].type

    @property
    def _word(self) -> str:
        """The word in capitals; empty for a token that is not a bare word."""
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
        """A bare word is a parameter here."""
        if self._type == "WORD":
            self._keep("PARAMETER")
        elif self._type in _CONSTANTS:
            self._keep()

    def _colon(self) -> None:
        if self._type == "COLON":
            self._keep()

    def _result(self) -> None:
        self._keep_until(frozenset({"FILTER", "PROCESS", "COLON"}))
        if self._type == "PROCESS":
            self._aggregates()
        if self._type in ("FILTER", "WHERE"):
            self._keep()
            self._condition(_END | {"GROUP_BY"})
        self._keep_until(_END)

    def _aggregates(self) -> None:
        while self._type not in ("WHERE", "GROUP_BY", *_END):
            follows_comma = self._type == "COMMA"
            self._keep()
            if follows_comma and self._word.lower() in AGGREGATES:
                self._aggregate()

    def _aggregate(self) -> None:
        self._keep(self._word)
        if self._out[-1].type == "COUNT" and self._is_word("DISTINCT"):
            count, distinct = self._out.pop(), self._tokens[self._at]
            self._keep()
            self._out[-1] = Token(
                "COUNT_DISTINCT", f"{count.text} {distinct.text}", count.start, distinct.end
            )

    def _condition(self, ends: frozenset[str]) -> None:
        while self._type not in ends:
            if self._begins_action():
                self._action()
                return
            if self._type in ("WORD", "QUOTED"):
                self._literal()
            else:
                self._keep()

    def _begins_action(self) -> bool:
        """Whether the colon or the condition before an action is missing: `Age = 3 DROP Name`."""
        if not self._is_word(*_NEW_ACTIONS) or self._out[-1].type not in (*_CONSTANTS, "RPAR", "COLON"):
            return False
        following = self._tokens[self._end_of_words()]
        words = self._tokens[self._at + 1 : self._end_of_words()]
        is_compared = following.type in ("OPERATOR", "HABIT", "NOT") or any(
            _upper(word) in _PREDICATES for word in words
        )
        return not is_compared

    def _end_of_words(self) -> int:
        at = self._at + (self._type == "QUOTED")
        while self._tokens[at].type == "WORD":
            at += 1
        return at

    def _literal(self) -> None:
        end = self._end_of_words()
        following = self._tokens[end]
        predicate = self._predicate_in(end)
        if following.type == "OPERATOR":
            self._keep_words(end)
        elif following.text in _UNEQUAL:
            self._keep_words(end)
            self._keep("UNEQUAL")
            self._keep_constant()
        elif following.type == "NOT" and _upper(self._tokens[end + 1]) in _PREDICATES:
            self._keep_words(end)
            self._keep("NEGATING")
            self._predicate()
        elif predicate is not None:
            self._keep_words(predicate)
            self._predicate()
        else:
            self._keep_words(end)

    def _keep_words(self, end: int) -> None:
        while self._at < end:
            self._keep()

    def _predicate_in(self, end: int) -> int | None:
        """The place of IN, BETWEEN or LIKE behind a name."""
        places = [at for at in range(self._at + 1, end) if _upper(self._tokens[at]) in _PREDICATES]
        if (
            end - 2 in places
            and self._tokens[end].type == "AND"
            and _upper(self._tokens[end - 2]) == "BETWEEN"
        ):
            return end - 2  # the last word is a parameter, whatever it is called
        return places[-1] if places else None

    def _predicate(self) -> None:
        word = self._word
        self._keep(word)
        if word == "BETWEEN":
            self._keep_constant()
            if self._type == "AND":
                self._keep()
                self._keep_constant()
        elif word == "IN" and self._type == "LPAR":
            self._list()

    def _list(self) -> None:
        """The constants in parentheses after IN, or the balls after FROM, where OF follows a weight."""
        while self._type not in ("RPAR", *_END) and not self._ends_list():
            before = self._out[-1].type
            if self._is_word("OF") and before == "NUMBER":
                self._keep("OF")
            else:
                self._keep("PARAMETER" if self._type == "WORD" and before not in _CONSTANTS else None)
        if self._type == "RPAR":
            self._keep()

    def _ends_list(self) -> bool:
        """Whether this is THEN, and the closing parenthesis before it is missing."""
        return self._is_word("THEN") and _begins_step(self._tokens[self._at + 1])

    def _action(self) -> None:
        self._step()
        while self._is_word("THEN"):
            self._keep("THEN")
            self._step()

    def _step(self) -> None:
        if self._type == "WITH":
            self._chance()
        if self._type == "REJECT":
            self._keep()
        elif self._type == "REPLACE":
            self._keep_until(frozenset({"WITH"}))
            self._keep()
            self._keep_constant()
        elif self._type == "RANDOM":
            self._random()
        elif self._is_word("GENERALIZE"):
            self._generalize()
        elif self._is_word("DROP"):
            self._drop()

    def _chance(self) -> None:
        """WITH PROBABILITY and its number. A word after WITH is a parameter to `tokens`."""
        self._keep()
        if self._tokens[self._at].text.upper() == "PROBABILITY":
            self._keep("PROBABILITY")
        if self._type == "NUMBER":
            self._keep()

    def _random(self) -> None:
        self._keep()
        start = self._start_of_balls()
        if start is not None:
            self._keep_words(start)
            self._keep("FROM")
            self._list()
            return
        first = len(self._out)
        while self._type in ("WORD", "QUOTED", "NUMBER") and not self._ends_random(first):
            self._keep()
        if len(self._out) - first > 2:
            self._out[-2:] = [_as_bound(token) for token in self._out[-2:]]

    def _start_of_balls(self) -> int | None:
        """The place of FROM behind a name, where parentheses follow: no core program has them here."""
        end = self._end_of_words()
        if self._tokens[end].type != "LPAR":
            return None
        places = (at for at in range(self._at + 1, end) if _upper(self._tokens[at]) == "FROM")
        return next(places, None)

    def _ends_random(self, first: int) -> bool:
        """Whether this is THEN behind a name and two bounds."""
        if not self._is_word("THEN") or len(self._out) - first < 3:
            return False
        has_numbers = all(token.type == "NUMBER" for token in self._out[-2:])
        return has_numbers or _begins_step(self._tokens[self._at + 1])

    def _generalize(self) -> None:
        self._keep("GENERALIZE")
        self._keep_words(self._end_of_generalized())
        if self._is_word("TO"):
            self._keep("TO")
        if self._word in _OF_MAP:
            self._map()

    def _end_of_generalized(self) -> int:
        """The place of TO, or of the map if TO is missing."""
        end = self._end_of_words()
        words = [_upper(token) for token in self._tokens[self._at : end]]
        if "TO" in words:
            return self._at + words.index("TO")
        maps = [at for at, word in enumerate(words) if at and word in _OF_MAP]
        return self._at + maps[0] if maps else end

    def _map(self) -> None:
        own = _OF_MAP[self._word]
        self._keep(self._word)
        while not (self._is_word("THEN") or self._type in _END):
            is_otherwise = self._is_word("ELSE")
            self._keep(self._word if self._word in own else None)
            if is_otherwise:
                self._keep_constant()

    def _drop(self) -> None:
        self._keep("DROP")
        if self._is_word("COLUMN", "COLUMNS") and self._tokens[self._at + 1].type in ("WORD", "QUOTED"):
            self._keep("COLUMN")  # a terminal of no production, as in SQL's DROP COLUMN
        while self._type in ("WORD", "QUOTED", "COMMA") and not self._ends_drop():
            self._keep()

    def _ends_drop(self) -> bool:
        return self._is_word("THEN") and self._out[-1].type in ("WORD", "QUOTED")


def _upper(token: Token) -> str:
    return token.text.upper() if token.type == "WORD" else ""


def _begins_step(token: Token) -> bool:
    return token.type in _STEPS or _upper(token) in _STEPS


def _as_bound(token: Token) -> Token:
    return token._replace(type="PARAMETER") if token.type == "WORD" else token
