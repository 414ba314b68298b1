"""Complete a policy that is being typed with words, columns, names, parameters and values.

A place is the word under the cursor, with the terminals that the grammar accepts instead."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Literal, TypeAlias

from acompass.assist.analysis import Context
from acompass.assist.document import Document, parameters
from acompass.assist.templates import column_forms, templates
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import AcompassError, Span
from acompass.language.text import tree
from acompass.language.text.parser import Continuation, find_continuation
from acompass.language.text.tokens import Token, quoted_name, spell_name, spell_string, unquote
from acompass.language.text.walk import names_dropped, step_of, steps
from acompass.measure.answer import Form
from acompass.tables.references import open_reference

#: the terminals of the grammar that have a meaning, in the order in which they are offered
_TERMINALS = (
    *("EACH", "ALWAYS", "SOME", "RESULT", "PROCESS", "FILTER", "COUNT", "COUNT_DISTINCT", "DISTINCT", "SUM"),
    *("MIN", "MAX", "SHARE", "LARGEST", "MODE", "AS", "WHERE", "GROUP_BY", "BY", "OPERATOR", "UNEQUAL", "IN"),
    *("BETWEEN", "LIKE", "NEGATING", "NOT", "AND", "OR", "GENERALIZE", "REPLACE", "REJECT", "DROP", "RANDOM"),
    *("PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE", "WITHIN", "DAYS", "WITH", "PROBABILITY", "BANDS"),
    *("NEAREST", "PREFIX", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE", "FROM", "UP", "TO", "OF", "AT"),
    *("ELSE", "THEN", "COLON", "SEMICOLON"),
)
#: the spellings of those that are not spelled by their names, the likeliest first
_OTHER_SPELLINGS: dict[str, tuple[str, ...]] = {
    "COUNT": ("COUNT(*)",),
    "COUNT_DISTINCT": ("COUNT DISTINCT",),
    "SHARE": ("SHARE OF",),
    "GROUP_BY": ("GROUP BY",),
    "OPERATOR": ("<=", ">=", "=", "<", ">"),
    "UNEQUAL": ("!=",),
    "NEGATING": ("NOT IN", "NOT BETWEEN", "NOT LIKE"),
    "ADD": ("ADD RANDOM",),
    "BANDS": ("BANDS OF", "BANDS AT"),
    "PREFIX": ("PREFIX OF",),
    "UP": ("UP TO",),
    "COLON": (":",),
    "SEMICOLON": (";",),
}
SPELLINGS = {each: _OTHER_SPELLINGS.get(each, (each,)) for each in _TERMINALS}

#: the meaning of each terminal, in one sentence
MEANINGS = {
    "EACH": "every record or class must satisfy the condition; those that do not are affected",
    "SOME": "at least one record or class must satisfy the condition; otherwise the whole table is affected",
    "ALWAYS": "every record is affected; nothing is asserted",
    "RESULT": "the condition applies to every record of the table",
    "FILTER": "the condition applies only to the records selected here",
    "PROCESS": "the condition applies to classes: the records with equal values in the columns of GROUP BY",
    "COUNT": "the number of records in a class",
    "COUNT_DISTINCT": "the number of distinct values of a column in a class",
    "DISTINCT": "the number of distinct values of a column in a class",
    "SUM": "the sum of a column over the records of a class",
    "MIN": "the smallest value of a column in a class",
    "MAX": "the largest value of a column in a class",
    "SHARE": "an exact fraction from 0 to 1, to compare with numbers such as `0.67`",
    "LARGEST": "the sum of this many largest absolute values of a column, over the sum of all its absolute values",
    "MODE": "the records with the most frequent value of a column, over all records of the class",
    "AS": "names the aggregate for the condition after the colon",
    "WHERE": "only records that satisfy this condition are grouped into classes",
    "GROUP_BY": "records with equal values in these columns form a class",
    "BY": "records with equal values in these columns form a class",
    "OPERATOR": "compares a column with a constant",
    "UNEQUAL": "the value differs from the constant",
    "IN": "the value is one of the constants in parentheses",
    "BETWEEN": "the value lies between two constants, inclusive",
    "LIKE": "the text begins with the characters before `%`",
    "NEGATING": "negates the next word",
    "NOT": "negates the condition that follows",
    "AND": "both conditions must hold",
    "OR": "at least one of the conditions must hold; AND binds more tightly",
    "REJECT": "drops the affected records",
    "REPLACE": "writes a constant to a column of the affected records",
    "RANDOM": "writes a random integer between two bounds, or a random value from the list after FROM, to a column "
    "of the affected records",
    "PSEUDONYM": "replaces each value with a text that depends on the value and on a secret key; the same value always "
    "gets the same text, so the column still distinguishes people",
    "SHIFT": "moves dates by a number of days that depends on the person and on a secret key",
    "ADD": "adds a random integer between two bounds to a number, separately for each affected record",
    "MICROAGGREGATE": "replaces each number with the mean of a group of records with similar numbers",
    "WITHIN": "the largest shift, in days, to the past or to the future",
    "DAYS": "the unit of a shift",
    "GENERALIZE": "writes a coarser label to a column of the affected records",
    "DROP": "removes columns from the table; only after ALWAYS",
    "WITH": "the constant to write",
    "PROBABILITY": "the action is performed on each affected record with this probability",
    "BANDS": "numbers become intervals such as `30-34`",
    "NEAREST": "numbers are rounded to the nearest multiple, halves away from zero, and stay numbers",
    "PREFIX": "keeps the first characters and replaces the rest with `*`: `212**`",
    "LEVEL": "values become the labels of a level in a hierarchy file",
    "MONTH": "dates become months such as `2018-03`",
    "QUARTER": "dates become quarters such as `2018-Q1`",
    "YEAR": "dates become years such as `2018`",
    "DECADE": "dates become decades such as `2010s`",
    "FROM": "where bands begin; smaller numbers share one open band",
    "UP": "where bands end; larger numbers share one open band",
    "TO": "the map from values to labels",
    "OF": "the width of bands, the length of a prefix, or the file of a hierarchy",
    "AT": "the numbers at which bands begin",
    "ELSE": "the label of values that are not in the hierarchy",
    "THEN": "the next step, for the records that still violate the assertion",
    "COLON": "begins the condition, then the action",
    "SEMICOLON": "ends the requirement",
}

_FILE = {"IN": "the aggregate is over the records of this file that agree with the class in every column of GROUP BY"}
#: meanings of words inside the forms that begin with each word
_MEANINGS_INSIDE = {
    "RANDOM": {
        "FROM": "the values to draw from, in parentheses",
        "OF": "the weight of a value relative to the others: its probability is proportional to it",
    },
    "GENERALIZE": {},
    "SHARE": {"OF": "what the share is of"},
    "COUNT": _FILE,
    "SUM": _FILE,
    "SHIFT": {"BY": "the column that identifies a person: all dates of a person move by the same number of days"},
    "ADD": {"RANDOM": MEANINGS["ADD"], "TO": "the column to which the integer is added"},
    "MICROAGGREGATE": {"BY": "the number of records in a group; the last group has up to twice as many, less one"},
}


def spellings(terminal: str, before: Sequence[Token]) -> tuple[str, ...]:
    """The spellings of a terminal after these tokens."""
    return ("WITH PROBABILITY",) if terminal == "WITH" and _begins_step(before) else SPELLINGS[terminal]


def meaning(terminal: str, before: Sequence[Token]) -> str:
    """The meaning of a terminal after these tokens of its requirement."""
    if terminal == "WITH" and _begins_step(before):
        return MEANINGS["PROBABILITY"]
    return _MEANINGS_INSIDE.get(_form(before), {}).get(terminal, MEANINGS.get(terminal, ""))


def _begins_step(before: Sequence[Token]) -> bool:
    return bool(before) and before[-1].type in ("COLON", "THEN")


def _form(before: Sequence[Token]) -> str:
    """The first word of the form that the tokens end in; empty if it has no meanings of its own."""
    form = ""
    for token in before:
        if token.type in ("COLON", "THEN", "WHERE"):
            form = ""
        elif token.type in _MEANINGS_INSIDE and form != "ADD":
            form = token.type
    return form


CompletionKind: TypeAlias = Literal["keyword", "column", "parameter", "name", "map", "snippet", "value"]

_MAPS = frozenset({"BANDS", "NEAREST", "PREFIX", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE"})


@dataclass(frozen=True, slots=True)
class Completion:
    label: str  # what is shown
    kind: CompletionKind
    insert: str
    replace: Span  # the characters that `insert` replaces
    detail: str


def complete(document: Document, offset: int, context: Context) -> tuple[Completion, ...]:
    """The completions that fit at an offset and match the text typed there, the likeliest first."""
    place = place_at(document, offset)
    if place is None:
        return ()
    offered = (
        *_values(place, context),
        *_names(place),
        *_columns(place, context),
        *_parameters(document, place, context),
        *_words(place),
        *_snippets(place, context),
    )
    return tuple(each for each in offered if _begins(each, place.typed_text(each.replace)))


def _begins(completion: Completion, typed: str) -> bool:
    """Whether the completion, or a word of its label, begins with what has been typed."""
    begun, label = typed.casefold(), completion.label.casefold()
    if completion.kind in ("keyword", "map"):
        return label.startswith(begun)
    return label.startswith(begun) or any(word.startswith(begun) for word in label.split())


@dataclass(frozen=True)
class Place:
    document: Document
    offset: int
    span: Span  # the characters to replace; those before the cursor have been typed
    expected: Continuation
    is_quoted: bool = False
    is_string: bool = False

    @property
    def accepted(self) -> frozenset[str]:
        return self.expected.accepted

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.expected.tokens

    @property
    def name_span(self) -> Span:
        """The characters of the whole name; the word under the cursor may be only its last word."""
        words = () if self.is_quoted else self.expected.words_before
        return words[0].span.to(self.span) if words else self.span

    def typed_text(self, span: Span) -> str:
        """The typed part of the text that a completion replaces."""
        text = self.document.text[span.start : self.offset]
        return " ".join(text.lstrip("\"'").split()) + (" " if text[-1:].isspace() else "")

    @property
    def wants_name(self) -> bool:
        """Whether the name of something that exists may begin or continue here."""
        wanted = "QUOTED" in self.accepted or ("WORD" in self.accepted and not self.is_quoted)
        return wanted and self._before_name != "AS" and not self.is_string

    @cached_property
    def visible_names(self) -> tuple[str, ...] | None:
        """The names visible in the condition after a PROCESS (D15, columns of a condition); None elsewhere."""
        kinds = [token.type for token in self.tokens]
        if "PROCESS" not in kinds or kinds.count("COLON") != 1:
            return None
        query = self.tokens[: kinds.index("COLON")]
        return (*_names_after("AS", query), *_names_after("GROUP_BY", query))

    @cached_property
    def wanted_form(self) -> Form | None:
        """The kind of values that the action before the name needs; None if it takes any."""
        kinds = [token.type for token in self.tokens]
        match self._before_name:
            case "SHIFT":
                return "date"
            case "MICROAGGREGATE":
                return "number"
            case "TO" if "ADD" in kinds[-6:]:
                return "number"
        return None

    @cached_property
    def columns_of_file(self) -> tuple[str, ...] | None:
        """The columns of the reference table after `SUM(…) IN`; None if the name is one of the table (X14)."""
        if self._before_name != "LPAR" or self.tokens[-1 - len(self.expected.words_before) :][0].type != "LPAR":
            return None
        after = [token for token in self.document.tokens if token.start >= self.span.end]
        rest = list(dropwhile(lambda token: token.type in _NAMES, after))[:3]
        if [token.type for token in rest] != ["RPAR", "WORD", "STRING"] or rest[1].text.upper() != "IN":
            return None
        file = unquote(rest[2].text)
        try:
            return open_reference(file, Path(self.document.folder, file)).names
        except (AcompassError, OSError, ValueError):
            return ()

    @property
    def ending(self) -> str | None:
        return _ENDINGS.get(self._before_name)

    @cached_property
    def dropped_columns(self) -> frozenset[str]:
        """The columns that earlier requirements drop, in lower case."""
        earlier = tuple(each for each in self.document.program.requirements if each.span.end <= self.span.start)
        dropped = (names_dropped(step_of(step)) for step in steps(tree.Program(earlier)))
        return frozenset(name.text.casefold() for names in dropped for name in names)

    @cached_property
    def compared_name(self) -> str | None:
        """The name that the constant under the cursor is compared with or written to."""
        before = list(self.tokens)
        while before and before[-1].type in (*_CONSTANTS, "LPAR", "COMMA", "AND", "OF"):
            before.pop()
        if not before or before.pop().type not in _COMPARING:
            return None
        if before and before[-1].type == "NEGATING":
            before.pop()
        return _last_name(before)

    @cached_property
    def _before_name(self) -> str:
        """The last token before the name under the cursor that is not part of a name or a comma."""
        words = len(self.expected.words_before)
        before = self.tokens[: len(self.tokens) - words]
        kinds = [token.type for token in before]
        while kinds and kinds[-1] in (*_NAMES, "COMMA"):
            kinds.pop()
        is_list = bool(before) and before[-1].type == "COMMA"
        last = before[-1].type if before and not is_list else ""
        return (kinds[-1] if kinds else "") if is_list else last


def _names(place: Place) -> Iterator[Completion]:
    for name in (place.visible_names or ()) if place.wants_name else ():
        written = quoted_name(name) if place.is_quoted else spell_name(name)
        yield Completion(name, "name", written, place.name_span, "")


def _columns(place: Place, context: Context) -> Iterator[Completion]:
    if not place.wants_name or place.visible_names is not None:
        return
    of_file = place.columns_of_file
    for column in _suitable_columns(place, context) if of_file is None else of_file:
        written = quoted_name(column) if place.is_quoted else spell_name(column, place.ending)
        yield Completion(column, "column", written, place.name_span, "" if of_file else _type(column, context))


def _suitable_columns(place: Place, context: Context) -> list[str]:
    """The columns that are not dropped, and of these the ones that the action can change; if there are none, all."""
    columns = [column for column in context.columns if column.casefold() not in place.dropped_columns]
    forms, wanted = column_forms(context.schema or (), context.facts), place.wanted_form
    suitable = [column for column in columns if wanted is None or forms.get(column, wanted) == wanted]
    return suitable or columns


def _type(column: str, context: Context) -> str:
    for known in context.schema or ():
        if known.name == column:
            return str(known.type)
    facts = context.facts.get(column)
    return "" if facts is None else facts.type


def _parameters(document: Document, place: Place, context: Context) -> Iterator[Completion]:
    if "PARAMETER" not in place.accepted or place.is_quoted or place.is_string:
        return
    for name in sorted({*context.params, *parameters(document)}):
        detail = f"= {context.params[name]}" if name in context.params else "not bound"
        yield Completion(name, "parameter", name, place.span, detail)


def _values(place: Place, context: Context) -> Iterator[Completion]:
    """The frequent values of the column that is compared or replaced."""
    facts = None if place.compared_name is None else context.facts_about(place.compared_name)
    if "STRING" not in place.accepted or facts is None or facts.form == "number":
        return
    for bar in () if facts.distribution is None else facts.distribution.bars:
        if bar.label != "missing":
            detail = f"{bar.counts[0]:,} records"
            yield Completion(bar.label, "value", spell_string(bar.label), place.span, detail)


def _words(place: Place) -> Iterator[Completion]:
    if place.is_quoted or place.is_string:
        return
    for terminal in SPELLINGS:
        if terminal in place.accepted:
            for word in spellings(terminal, place.tokens):
                kind: CompletionKind = "map" if terminal in _MAPS else "keyword"
                yield Completion(word, kind, word, place.span, meaning(terminal, place.tokens))


def _snippets(place: Place, context: Context) -> Iterator[Completion]:
    if "EACH" in place.accepted and not (place.is_quoted or place.is_string):
        for template in templates(context.roles, context.schema, facts=context.facts):
            yield Completion(template.title, "snippet", template.text, place.span, template.why)


_NAMES = ("WORD", "QUOTED")
_CONSTANTS = ("NUMBER", "STRING", "PARAMETER")
_COMPARING = ("OPERATOR", "UNEQUAL", "IN", "BETWEEN", "WITH", "FROM")
#: the word that ends a bare name after each of these
_ENDINGS = {"GENERALIZE": "TO", "DROP": "THEN", "RANDOM": "FROM", "PSEUDONYM": "THEN", "BY": "WITHIN", "TO": "THEN"}

#: the types of tokens that are texts or names in quotes, with or without the closing quote
_STRINGS = ("STRING", "OPEN_STRING")
_QUOTED = ("QUOTED", "OPEN_QUOTED")


def place_at(document: Document, offset: int) -> Place | None:
    """None in a comment and in a number."""
    if any(_is_within(comment, offset) for comment in document.comments):
        return None
    token = next((each for each in document.tokens if each.start < offset <= each.end), None)
    if token is None or (token.end == offset and token.type in ("STRING", "QUOTED")):
        return _place(document, offset, Span(offset, offset))
    if token.type in ("OPEN_COMMENT", "NUMBER", "MALFORMED_NUMBER"):
        return None
    if token.type in (*_STRINGS, *_QUOTED):
        end = offset if token.type.startswith("OPEN") else token.end
        return _place(document, offset, Span(token.start, end), token.type)
    return _place(document, offset, _word(document.text, token, offset))


def _place(document: Document, offset: int, span: Span, kind: str = "") -> Place:
    expected = find_continuation(document.text[: span.start])
    return Place(document, offset, span, expected, kind in _QUOTED, kind in _STRINGS)


def _is_within(comment: tree.Comment, offset: int) -> bool:
    ends_with_line = comment.text.startswith("--")
    return comment.span.start < offset < comment.span.end + ends_with_line


def _word(text: str, token: Token, offset: int) -> Span:
    """The word at an offset, in a token of one or two words; empty if the token is a symbol."""
    before = len(list(takewhile(_is_word_character, reversed(text[token.start : offset]))))
    after = len(list(takewhile(_is_word_character, text[offset : token.end])))
    return Span(offset - before, offset + after) if before else Span(offset, offset)


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character in "_.-"


def _names_after(kind: str, tokens: Sequence[Token]) -> tuple[str, ...]:
    """The names in a list after each token of a kind: `GROUP BY a, b`."""
    found: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == kind:
            listed = takewhile(lambda each: each.type in (*_NAMES, "COMMA"), tokens[at + 1 :])
            found += _split_names(list(listed)) if kind == "GROUP_BY" else _split_names(list(listed))[:1]
    return tuple(found)


def _split_names(tokens: list[Token]) -> list[str]:
    names: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "COMMA":
            names.append([])
        else:
            names[-1].append(token)
    return [name for name in map(_last_name, names) if name is not None]


def _last_name(tokens: Sequence[Token]) -> str | None:
    """The name that the tokens end with."""
    if tokens and tokens[-1].type == "QUOTED":
        return unquote(tokens[-1].text)
    words = list(takewhile(lambda token: token.type == "WORD", reversed(tokens)))
    return " ".join(token.text for token in reversed(words)) or None
