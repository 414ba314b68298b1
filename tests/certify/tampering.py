"""Certificates that someone changed, each so that it is no proof any more."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

NOTHING = ["or"]


def _false_claim(certificate: Any) -> None:
    """It claims that no table has a record."""
    for claim in certificate["claims"]:
        claim["assertion"] = ["each", "result", NOTHING]


def _nothing_at_the_start(certificate: Any) -> None:
    for claim in certificate["claims"]:
        claim["steps"][0]["invariant"] = NOTHING


def _nothing_at_the_end(certificate: Any) -> None:
    for claim in certificate["claims"]:
        claim["steps"][-1]["invariant"] = NOTHING


def _line_removed(certificate: Any) -> None:
    """The policy loses its last line."""
    del certificate["program"][-1]


def _step_removed(certificate: Any) -> None:
    for claim in certificate["claims"]:
        del claim["steps"][0]


def _contradiction(certificate: Any) -> None:
    """A fact that no class satisfies is known at the end."""
    for claim in certificate["claims"]:
        fact = {"function": "count", "where": ["and"], "group by": [], "allowed": NOTHING}
        claim["steps"][-1]["facts"].append({"fact": fact, "because": ["here", ["values", []]]})


#: what is changed, and how; each leaves no proof where a policy leaves some table with a record
TAMPERINGS: dict[str, Callable[[Any], None]] = {
    "false claim": _false_claim,
    "nothing at the start": _nothing_at_the_start,
    "nothing at the end": _nothing_at_the_end,
    "line removed": _line_removed,
    "step removed": _step_removed,
    "contradiction": _contradiction,
}


def tampered(certificate: Any) -> Iterator[tuple[str, Any]]:
    for name, change in TAMPERINGS.items():
        changed = copy.deepcopy(certificate)
        change(changed)
        yield name, changed
