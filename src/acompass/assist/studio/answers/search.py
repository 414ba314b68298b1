"""The search for a policy: several answers to compare, shown as they are found.

A new search ends the previous one; any search can be ended with the answers so far."""

import os
from collections.abc import Iterable
from typing import Any, Unpack

from acompass.assist.document import Document
from acompass.assist.request_queue import Stale
from acompass.assist.studio.messages import Body, json_object, number
from acompass.assist.studio.question import about_project
from acompass.assist.studio.state import Project, Search
from acompass.author.answers import Alternative, Standing, Suggestion, Unreachable
from acompass.dataclasses import replace
from acompass.errors.diagnostics import TableError
from acompass.language.text.tokens import spell_string
from acompass.language.text.walk import names_dropped_by
from acompass.options import DROP, SuggestOptions
from acompass.policy import Policy, TableRoles
from acompass.session import Session

#: the code of missing values that were neither dropped nor filled
_MISSING = "AC212"


def search(project: Project, body: Body) -> dict[str, Any]:
    """Search the whole table in a separate session, so that verdicts do not wait."""
    roles = _roles(project, body)
    # the search writes no line that drops identifiers: which ones it needs depends on how the policy will be used
    searched = replace(roles, identifiers=())
    given = body.texts("hierarchies") if body.has("hierarchies") else None
    levels = project.levels(roles.quasi_identifiers, given)
    with project.searches.begin() as search:
        try:
            found = project.ask_all(
                body,
                lambda session: session.suggest(
                    roles.quasi_identifiers,
                    body.number("k"),
                    **_search_options(
                        body,
                        sensitive=roles.sensitive,
                        roles=searched.by_name,
                        person=roles.person,
                        hierarchies=levels,
                        style="all",
                        stopped=lambda: search.stopping or body.is_withdrawn,
                        progress=search.note,
                        found=search.show,
                    ),
                ),
            )
        except Unreachable:
            if not search.is_newest:
                raise Stale from None
            return {"diagnostics": [], "search": _without_answer(search)}
    if not search.is_newest:
        raise Stale
    left = _not_dropped(project, body, roles)
    return {"diagnostics": [], "search": _search_json(project, found, roles.identifiers, left, levels.values())}


def _roles(project: Project, body: Body) -> TableRoles:
    return body.roles() if body.has("roles") else project.roles


def _not_dropped(project: Project, body: Body, roles: TableRoles) -> tuple[str, ...]:
    """The identifiers that the policy in the editor does not drop: nothing can drop the others again."""
    policy = Document(body.text("text"), project.file.path).policy if body.has("text") else None
    dropped = set() if policy is None else {name.text.casefold() for name in names_dropped_by(policy.tree)}
    return tuple(name for name in roles.identifiers if name.casefold() not in dropped)


def _search_options(body: Body, **options: Unpack[SuggestOptions]) -> SuggestOptions:
    """The options of the search; empty fields are ignored."""
    if body.has("l"):
        options["l"] = body.number("l")
    if body.has("t"):
        options["t"] = body.text("t")
    if body.has("lines"):
        options["lines"] = body.number("lines")
    if body.has("max_lost"):
        options["max_lost"] = body.text("max_lost")
    if body.has("importance"):
        options["importance"] = dict(body.texts("importance"))
    return options


def _search_json(
    project: Project,
    found: Suggestion,
    identifiers: tuple[str, ...],
    left: tuple[str, ...],
    levels: Iterable[str],
) -> dict[str, Any]:
    """`text` stands alone; `addition` is for the policy in the editor, and drops only what that policy does not."""
    from acompass.author.suggest.flow import drop_identifiers

    files = [each for each in levels if os.path.isabs(each)]

    def texts(answer: Suggestion | None) -> dict[str, str]:
        if answer is None:
            return {}
        dropping = (drop_identifiers(answer, names).plain_text for names in (identifiers, left))
        return dict(zip(("text", "addition"), (_beside(project, each, files) for each in dropping), strict=True))

    return {
        "alternatives": [_alternative(each) | texts(each.answer) for each in found.alternatives],
        **json_object(found, "finished", "records_in", "incomplete", "person"),
        "notes": [note.text for note in found.notes],
    }


def _beside(project: Project, text: str, files: Iterable[str]) -> str:
    """The text for the policy's folder: LEVEL names its files from there."""
    for file in files:
        text = text.replace(f"OF {spell_string(file)}", f"OF {spell_string(project.path_in_policy(file))}")
    return text


def _without_answer(search: Search) -> dict[str, Any]:
    """Each search with its reason."""
    nothing: dict[str, Any] = {"records_in": None, "incomplete": None, "person": None, "notes": []}
    alternatives = [_alternative(each) for each in search.alternatives]
    return {"alternatives": alternatives, "finished": not search.stopping, **nothing}


def _alternative(found: Alternative) -> dict[str, Any]:
    about = {"style": found.style, "max_lost": number(found.max_lost), "standing": found.standing.value}
    answer = found.answer
    if answer is None:
        return about | {"reason": found.reason}
    numbers = json_object(answer, "loss", "dropped", "cells_changed", "highest_risk", "smallest", "k", "t", "seconds")
    return about | numbers | {"lines": len(answer.steps), "finished": answer.finished}


def progress(project: Project, _: Body) -> dict[str, Any]:
    search = project.searches.newest
    if search is None:
        return {"search": None}
    running = next((each for each in search.alternatives if each.standing is Standing.SEARCHING), None)
    alternatives = [_alternative(each) for each in search.alternatives if each is not running]
    now = None if running is None else _alternative(running)
    return {"search": {**json_object(search, "part", "loss"), "running": now, "alternatives": alternatives}}


def stop(project: Project, body: Body) -> dict[str, Any]:
    if body.text("topic") == "search":
        project.searches.stop()
    return {}


def count_incomplete(project: Project, body: Body) -> dict[str, Any]:
    """How many records a search would leave out because of missing values, and whether the table is read so."""
    roles = _roles(project, body)
    counted = roles.sensitive if body.flag("needs_sensitive") else ()

    def count(session: Session) -> tuple[int, bool]:
        policy = _names_columns(roles, counted, session.columns)
        try:
            return session.check(policy, roles={}).dropped, True
        except TableError as error:
            if {each.code for each in error.diagnostics} != {_MISSING}:
                raise
            return session.check(policy, roles={}, missing=DROP).dropped, False

    key = ("incomplete", roles.quasi_identifiers, counted, roles.person)
    incomplete, are_dropped = project.recall(key, lambda: project.ask_whole(body, count))
    return {"diagnostics": [], "incomplete": incomplete, "are_dropped": are_dropped}


def _names_columns(roles: TableRoles, counted: tuple[str, ...], columns: tuple[str, ...]) -> Policy:
    """A policy that holds for every table, with the columns that the searched policy will name."""
    from acompass.author.suggest.policy_tree import Goal, policy_tree

    least = 1 if counted else None
    goal = Goal(roles.quasi_identifiers, counted, 1, least, columns, roles.person)
    return Policy.from_tree(policy_tree(goal, (), ()), "the policy to be searched")


QUESTIONS = {
    "search": about_project(search, search=None),
    "search/incomplete": about_project(count_incomplete, incomplete=None, are_dropped=None),
    "stop": about_project(stop),
    "progress": about_project(progress),
}
