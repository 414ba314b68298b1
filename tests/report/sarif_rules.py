"""The rules of the SARIF 2.1.0 schema for the parts that reports use.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json forbids unknown
properties, so each object is compared with the properties that it may have."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

Rule = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_place(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_uri(value: Any) -> bool:
    legal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%"
    return isinstance(value, str) and set(value) <= set(legal) and urlsplit(value).scheme in ("", "file", "https")


def _enum(*values: str) -> Rule:
    return lambda value: value in values


def _object(required: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> Rule:
    known = {**required, **(optional or {})}

    def holds(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and set(required) <= set(value) <= set(known)
            and all(known[key](entry) for key, entry in value.items())
        )

    return holds


def _list(rule: Rule, least: int = 0) -> Rule:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(rule, value))


_MESSAGE = _object({"text": _is_text})
_REGION = _object({"startLine": _is_place}, dict.fromkeys(("startColumn", "endLine", "endColumn"), _is_place))
_ARTIFACT = _object({"uri": _is_uri})
_LOCATION = _object({"physicalLocation": _object({"artifactLocation": _ARTIFACT, "region": _REGION})})
_REPLACEMENT = _object({"deletedRegion": _REGION}, {"insertedContent": _object({"text": _is_text})})
_CHANGE = _object({"artifactLocation": _ARTIFACT, "replacements": _list(_REPLACEMENT, least=1)})
_FIX = _object({"artifactChanges": _list(_CHANGE, least=1)}, {"description": _MESSAGE})
_RESULT = _object(
    {
        "ruleId": _is_text,
        "level": _enum("none", "note", "warning", "error"),
        "message": _MESSAGE,
        "locations": _list(_LOCATION),
    },
    {"fixes": _list(_FIX)},
)
_DESCRIPTOR = _object({"id": _is_text}, {"shortDescription": _MESSAGE, "help": _MESSAGE})
_DRIVER = _object({"name": _is_text}, {"version": _is_text, "rules": _list(_DESCRIPTOR)})
_RUN = _object(
    {"tool": _object({"driver": _DRIVER}), "results": _list(_RESULT)},
    {"columnKind": _enum("utf16CodeUnits", "unicodeCodePoints")},
)
_LOG = _object({"version": _enum("2.1.0"), "runs": _list(_RUN)}, {"$schema": _is_uri})


def results(log: Any) -> list[Any]:
    """The results of a valid log with one run. Each has a rule, and no region ends before it starts."""
    assert _LOG(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert {result["ruleId"] for result in run["results"]} <= set(rules)
    for region in _regions(run["results"]):
        start = region["startLine"], region.get("startColumn", 1)
        assert start <= (region.get("endLine", start[0]), region.get("endColumn", start[1]))
    found: list[Any] = run["results"]
    return found


def _regions(value: Any) -> Iterator[dict[str, int]]:
    if isinstance(value, list):
        for entry in value:
            yield from _regions(entry)
    elif isinstance(value, dict):
        yield from (entry for key, entry in value.items() if key in ("region", "deletedRegion"))
        yield from _regions(list(value.values()))
