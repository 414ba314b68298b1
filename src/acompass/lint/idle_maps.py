"""AC512: a GENERALIZE that changes nothing, because the column has labels of the same map already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from acompass.checked.effects import generalize_of, is_always, is_certain, plain_of
from acompass.checked.maps.map import Map
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace, Requirement
from acompass.checked.types import Value
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import EMPTY
from acompass.prove.reachability import Transition
from acompass.prove.regions import regions_in


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a column can have: labels of the maps, and the texts. `since` is the last line that wrote."""

    maps: tuple[Map, ...]
    texts: tuple[str, ...]
    since: int

    def stay_under(self, map_: Map) -> bool:
        return all(own == map_ for own in self.maps) and all(map_.label(text) == text for text in self.texts)


def changes_nothing(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    contents: dict[int, Contents] = {}
    for at, transition in enumerate(policy.transitions):
        action = generalize_of(transition.requirement.action)
        if action is not None:
            known = contents.get(action.column)
            is_kept = known is not None and known.stay_under(action.map)
            if is_kept or _has_only_labels(policy, transition, action):
                yield _finding(policy, at, action, known.since if known is not None and is_kept else None)
        _follow(contents, at, transition.requirement)


def _has_only_labels(policy: InspectedPolicy, transition: Transition, action: Generalize) -> bool:
    """Whether the affected records have few values in the column, and each is a label of the map."""
    variables, reachability = policy.prover.variables, policy.prover.reachability
    variable = variables.column(transition.step + 1, action.column)
    affected = reachability.converted(transition, transition.may)
    regions = variables.regions(variable)
    texts = [
        regions.constant(region) for region in regions_in(variables.diagrams.mask_of(affected, variable))
    ]
    return affected is not EMPTY and all(
        text is not None and action.map.label(str(text)) == text for text in texts
    )


def _follow(contents: dict[int, Contents], at: int, requirement: Requirement) -> None:
    """What the columns have after the requirement, as far as it is known."""
    plain = plain_of(requirement.action)
    is_overwritten = is_always(requirement) and is_certain(requirement.action)
    empty = Contents((), (), at) if is_overwritten else None
    match plain:
        case None | Reject():
            pass
        case Drop(columns):
            for column in columns:
                contents.pop(column, None)
        case Random(column):
            contents.pop(column, None)
        case Replace(column, value):
            _write(contents, column, empty, [value], at)
        case Draw(column, balls):
            _write(contents, column, empty, [ball.value for ball in balls], at)
        case Generalize(column, map_):
            known = empty or contents.pop(column, None)
            if known is not None:
                contents[column] = replace(known, maps=(*known.maps, map_), since=at)
        case _:
            assert_never(plain)


def _write(
    contents: dict[int, Contents], column: int, empty: Contents | None, values: Sequence[Value], at: int
) -> None:
    """`empty` is what the column has left of its values, None where it may have all of them."""
    known = empty or contents.pop(column, None)
    texts = [value for value in values if isinstance(value, str)]
    if known is not None and len(texts) == len(values):
        contents[column] = replace(known, texts=(*known.texts, *texts), since=at)


def _finding(policy: InspectedPolicy, at: int, action: Generalize, since: int | None) -> Diagnostic:
    name = policy.program.schema[action.column].name
    message = f"this map changes nothing: every value of `{name}` is a label of it already"
    also = () if since is None else (policy.label(since, "writes such labels"),)
    help_ = "remove it, or generalize to a coarser map"
    return policy.finding("AC512", message, at, help_, also, policy.removal(at))
