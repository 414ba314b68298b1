"""The JSON of requests and answers. Reject any request that the studio's own page would not send.

Python counts positions in a text in characters, the page in UTF-16 code units."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn

from acompass.arguments import ROLE_NAMES, declared_options, take_value
from acompass.assist.studio.settings import READING
from acompass.errors.catalog import CODES
from acompass.errors.diagnostics import AcompassError, Diagnostic, Edit, Fix, Label, Span
from acompass.options import Opening, command_line_spelling
from acompass.policy import TableRoles


class Refused(Exception):
    """The studio rejects a request, with an HTTP status and further fields of the response."""

    def __init__(self, status: int, message: str, **fields: Any):
        super().__init__(status, message)
        self.status, self.message, self.fields = status, message, fields


class Body:
    def __init__(self, name: str, fields: dict[str, Any]):
        self.name = name  # of the question
        self._fields = fields
        self.is_withdrawn = False  # the client has disconnected

    @classmethod
    def read(cls, name: str, content: bytes) -> "Body":
        try:
            fields = json.loads(content)
            json.dumps(fields, ensure_ascii=False).encode()  # reject lone surrogates
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON") from None
        if not isinstance(fields, dict):
            raise Refused(400, "the body is not an object")
        return cls(name, fields)

    def has(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def text(self, key: str) -> str:
        return str(self._field(key, str))

    def number(self, key: str) -> int:
        found = self._field(key, int)
        if isinstance(found, bool):
            raise _wrong(key)
        return int(found)

    def flag(self, key: str) -> bool:
        return bool(self._field(key, bool))

    def texts(self, key: str) -> dict[str, str]:
        found = self._field(key, dict)
        if not all(isinstance(value, str) for value in found.values()):
            raise _wrong(key)
        return dict(found)

    def names_by_name(self, key: str) -> dict[str, tuple[str, ...]]:
        return {name: _names(names, key) for name, names in self._field(key, dict).items()}

    def names(self, key: str) -> tuple[str, ...]:
        return _names(self._field(key, list), key)

    def part(self, key: str) -> "Body":
        """An object within the body."""
        return Body(self.name, self._field(key, dict))

    def rows(self, key: str) -> tuple[tuple[str, ...], ...]:
        return tuple(_names(row, key) for row in self._field(key, list))

    def roles(self) -> TableRoles:
        found = self._field("roles", dict)
        person = found.get("person")
        if person is not None and not isinstance(person, str):
            raise _wrong("person")
        return TableRoles(**{key: _names(found.get(key, []), key) for key in ROLE_NAMES}, person=person)

    def reading(self) -> dict[str, Any]:
        """Options of reading a table, as an acompass.toml has them; None for each that has its default."""
        found = self._field("reading", dict)
        return {
            name: take_value(option, found[name], partial(_unfit, name)) if found.get(name) is not None else None
            for name, option in declared_options(Opening).items()
            if name in READING
        }

    @property
    def page(self) -> str:
        """The name of the browser tab, whose questions replace only its own."""
        return self.text("page") if self.has("page") else ""

    def _field(self, key: str, kind: type) -> Any:
        found = self._fields.get(key)
        if not isinstance(found, kind):
            raise _wrong(key)
        return found


def _names(found: object, key: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise _wrong(key)
    return tuple(found)


def _unfit(key: str, _: str) -> NoReturn:
    raise _wrong(key)


def _wrong(key: str) -> Refused:
    return Refused(400, f"`{key}` is missing or has the wrong type")


#: what the page calls the control for an option
_CONTROLS = {
    "missing": "Missing values",
    "na": "Words for missing values",
    "dates": "Date format",
    "delimiter": "Delimiter",
    "encoding": "Encoding",
    "decimal": "Decimal mark",
    "sheet": "Sheet",
    "header": "First line",
    "params": "Parameters",
    "qi": "Quasi-identifiers",
    "sensitive": "Sensitive columns",
    "person": "Column that tells persons apart",
    "k": "k",
    "l": "l",
    "t": "t",
    "max_lost": "Largest share of lost records",
    "lines": "lines",
    "importance": "Importance of the columns",
    "hierarchies": "Levels of the columns",
}


def page_spelling(name: str, *value: Any) -> str:
    """An argument of a call as a message on the page spells it: the control and what to choose there.

    Options without a control keep the spelling of the command line, and their errors say so (`parts/remedy.tsx`)."""
    control = _CONTROLS.get(name)
    if control is None:
        return command_line_spelling(name, *value)
    match value:
        case () | (bool(),):
            return control
        case (Mapping() as found,):
            return f"{control}: {', '.join(f'{key} = {_chosen(each)}' for key, each in found.items())}"
        case (list() | tuple() as found,):
            return f"{control}: {', '.join(map(str, found))}"
        case _:
            return f"{control}: {_chosen(value[0])}"


def _chosen(value: object) -> str:
    return "…" if value is ... else str(value)


def error_json(error: AcompassError, body: Body) -> list[dict[str, Any]]:
    """Omit the labels of an error in another text, such as a claim, which the editor does not show."""
    text = body.text("text") if body.has("text") else None
    offsets = Offsets(text) if text is not None and error.source in (None, text) else None
    return diagnostics_json(error.diagnostics, offsets)


_LAST_OF_ONE_UNIT = "\uffff"


class Offsets:
    """Convert offsets. Only characters beyond the basic plane take two units, and most texts have none."""

    def __init__(self, text: str):
        self._length = len(text)
        self._wide = [place for place, letter in enumerate(text) if letter > _LAST_OF_ONE_UNIT]
        self._wide_units = [place + before for before, place in enumerate(self._wide)]

    def to_page(self, offset: int) -> int:
        offset = max(0, min(offset, self._length))
        return offset + bisect_right(self._wide, offset - 1)

    def from_page(self, unit: int) -> int:
        """A position in the middle of a character means the position before it."""
        unit = max(0, min(unit, self._length + len(self._wide)))
        return unit - bisect_right(self._wide_units, unit - 1)

    def span(self, span: Span) -> dict[str, int]:
        return {"from": self.to_page(span.start), "to": self.to_page(span.end)}


def diagnostics_json(found: Iterable[Diagnostic], offsets: Offsets | None) -> list[dict[str, Any]]:
    return [_diagnostic(each, offsets) for each in found]


def _diagnostic(found: Diagnostic, offsets: Offsets | None) -> dict[str, Any]:
    places = [] if offsets is None else [_label(label, offsets) for label in found.labels]
    first = places[0] if places else {"from": None, "to": None}
    return {
        "code": found.code,
        "message": found.message,
        "help": found.help,
        "severity": str(found.severity),
        "from": first["from"],
        "to": first["to"],
        "page": CODES[found.code],
        "related": places[1:],
        "fixes": [] if offsets is None else [_fix(fix, offsets) for fix in found.fixes],
    }


def _label(label: Label, offsets: Offsets) -> dict[str, Any]:
    return {**offsets.span(label.span), "text": label.text}


def _fix(fix: Fix, offsets: Offsets) -> dict[str, Any]:
    return {"title": fix.title, "safe": fix.is_safe, "edits": edits_json(fix.edits, offsets)}


def edits_json(edits: Sequence[Edit], offsets: Offsets) -> list[dict[str, Any]]:
    return [{**offsets.span(edit.span), "insert": edit.text} for edit in edits]


def number(value: Fraction | float | None) -> float | int | None:
    """Round an exact fraction, only here."""
    return value if value is None or isinstance(value, int | float) else float(value)


def json_object(found: object, *names: str) -> dict[str, Any]:
    """These attributes of an answer, rounded."""
    values = {name: getattr(found, name) for name in names}
    return {name: number(value) if isinstance(value, Fraction) else value for name, value in values.items()}
