"""The search for a policy: newest wins, and the best so far can be asked for."""

from typing import Any, TypedDict

from acompass.assist.desk import Stale
from acompass.studio.body import Body
from acompass.studio.studio import Studio
from acompass.suggestion import Suggestion


def suggest(studio: Studio, body: Body) -> dict[str, Any]:
    """The whole table is searched, in a session of its own: verdicts do not wait for it."""
    roles = body.roles() if body.has("roles") else studio.roles
    with studio.searches.begin() as search:
        found = studio.ask_all(
            body,
            lambda session: session.suggest(
                roles.quasi_identifiers,
                body.number("k"),
                sensitive=roles.sensitive,
                stopped=lambda: search.stopping or body.is_withdrawn,
                progress=search.note,
                **_wishes(body),
            ),
        )
    if not search.is_newest:
        raise Stale
    return {"diagnostics": [], "suggestion": _json(found)}


def progress(studio: Studio, _: Body) -> dict[str, Any]:
    search = studio.searches.newest
    return {"suggest": None if search is None else {"part": search.part, "loss": search.loss}}


def stop(studio: Studio, body: Body) -> dict[str, Any]:
    if body.text("topic") == "suggest":
        studio.searches.stop()
    return {}


class _Wishes(TypedDict, total=False):
    l: int  # noqa: E741
    max_lost: str
    lines: int
    style: str
    keep: tuple[str, ...]


def _wishes(body: Body) -> _Wishes:
    """What is left empty in the page is left to the search."""
    wishes: _Wishes = {}
    if body.has("l"):
        wishes["l"] = body.number("l")
    if body.has("lines"):
        wishes["lines"] = body.number("lines")
    if body.has("max_lost"):
        wishes["max_lost"] = body.text("max_lost")
    if body.has("style"):
        wishes["style"] = body.text("style")
    if body.has("keep"):
        wishes["keep"] = body.names("keep")
    return wishes


def _json(found: Suggestion) -> dict[str, Any]:
    return {
        "text": found.text,
        "loss": found.loss,
        "dropped": found.dropped,
        "steps": [{"text": step.text, "affected": step.affected, "loss": step.loss} for step in found.steps],
        "curve": [
            {"lines": point.lines, "loss": point.loss, "dropped": point.dropped} for point in found.curve
        ],
        "seconds": found.seconds,
        "finished": found.finished,
        "records_out": found.records_out,
    }
