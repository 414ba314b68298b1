"""A stage in words, for `plan --stages`."""

from typing import assert_never

from acompass.checked.effects import is_always
from acompass.checked.types import Schema
from acompass.plan.regions import constants_of
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
    process_query,
)


def describe(stage: Stage, schema: Schema) -> str:
    which = _requirements(stage)
    match stage:
        case RecordStage():
            return f"{which}: record by record"
        case ScanStage():
            counted = "" if all(map(is_always, stage.requirements)) else ", counted by one scan"
            return f"{which}: record by record{counted}"
        case TangleStage():
            return f"{which}: record by record, counted in one stored table"
        case ChainStage():
            constants = sum(len(of) for of in constants_of(stage.requirements, stage.columns).values())
            return (
                f"{which}: one chain on {_names(stage.columns, schema)}, {constants} constants, {_how(stage)}"
            )
        case GroupStage():
            groups = process_query(stage.requirements[0]).group_by
            over = f"grouped by {_names(groups, schema)}" if groups else "over the whole table"
            levels = " and by value first" if stage.two_levels else ""
            return f"{which}: one aggregation {over}{levels}"
        case CascadeStage():
            return f"{which}: one count of the combinations of {_names(stage.columns, schema)}, joined once"
        case _:
            assert_never(stage)


def _requirements(stage: Stage) -> str:
    indexes = [requirement.index for requirement in stage.requirements]
    if len(indexes) == 1:
        return f"requirement {indexes[0]}"
    if indexes == list(range(indexes[0], indexes[-1] + 1)):
        return f"requirements {indexes[0]} to {indexes[-1]}"
    return "requirements " + ", ".join(map(str, indexes))


def _names(columns: tuple[int, ...], schema: Schema) -> str:
    return ", ".join(f"`{schema[column].name}`" for column in columns)


def _how(stage: ChainStage) -> str:
    if stage.by_values:
        return "looked up by distinct value"
    return "one expression" if stage.inline else "looked up by region"
