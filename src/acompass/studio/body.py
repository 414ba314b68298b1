"""The JSON object of a request, field by field. What no page of the studio would send is refused."""

import json
from typing import Any

from acompass.project import TableRoles


class Refused(Exception):
    """A request that the studio does not answer; `status` is that of HTTP."""

    def __init__(self, status: int, message: str, **beside: Any):
        self.status, self.message, self.beside = status, message, beside
        super().__init__(message)


class Body:
    """`name` is that of the question."""

    def __init__(self, name: str, fields: dict[str, Any]):
        self.name = name
        self._fields = fields
        #: nobody waits for the answer any more
        self.is_withdrawn = False

    @classmethod
    def read(cls, name: str, content: bytes) -> "Body":
        try:
            fields = json.loads(content)
            json.dumps(fields, ensure_ascii=False).encode()  # half a surrogate pair is no text
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON") from None
        if not isinstance(fields, dict):
            raise Refused(400, "the body is not an object")
        return cls(name, fields)

    def has(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def text(self, key: str) -> str:
        return str(self._of(key, str))

    def number(self, key: str) -> int:
        found = self._of(key, int)
        if isinstance(found, bool):
            raise _wrong(key)
        return int(found)

    def flag(self, key: str) -> bool:
        return bool(self._of(key, bool))

    def texts(self, key: str) -> dict[str, str]:
        found = self._of(key, dict)
        if not all(isinstance(value, str) for value in found.values()):
            raise _wrong(key)
        return dict(found)

    def names(self, key: str) -> tuple[str, ...]:
        return _names(self._of(key, list), key)

    def roles(self) -> TableRoles:
        found = self._of("roles", dict)
        keys = ("quasi_identifiers", "sensitive", "identifiers")
        return TableRoles(*(_names(found.get(key, []), key) for key in keys))

    @property
    def page(self) -> str:
        """Each tab names itself, so that its questions replace only its own."""
        return self.text("page") if self.has("page") else ""

    def _of(self, key: str, kind: type) -> Any:
        found = self._fields.get(key)
        if not isinstance(found, kind):
            raise _wrong(key)
        return found


def _names(found: object, key: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise _wrong(key)
    return tuple(found)


def _wrong(key: str) -> Refused:
    return Refused(400, f"`{key}` is missing or of another kind")
