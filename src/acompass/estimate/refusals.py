"""Why there is no estimate."""

from collections.abc import Collection, Sequence

from acompass.diagnostics import CallError, Diagnostic
from acompass.pram.read import MOST_VALUES

#: values that a message lists before it counts the rest
_LISTED = 5


def alike(column: str, texts: Sequence[str], unnamed: Collection[str]) -> CallError:
    """Records with these values leave the same behind: the released table cannot tell their numbers."""
    named = [f"`{text}`" for text in texts if text not in unnamed]
    listed = [*named[:_LISTED], *([f"{len(named) - _LISTED:,} more"] if len(named) > _LISTED else [])]
    if len(named) < len(texts):
        listed.append("values that the policy does not name")
    what = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    if len(texts) == 1:
        message = f"no record of column `{column}` with {what} is ever released"
    else:
        message = f"the release does not tell {what} of column `{column}` apart"
    help_ = "if the column never has some of them, begin the policy with a check such as "
    return CallError([Diagnostic("AC636", message, help=f"{help_}`EACH RESULT : {column} IN ('a', 'b');`")])


def strange(column: str, records: int) -> CallError:
    those = "1 record has a value" if records == 1 else f"{records:,} records have values"
    message = f"{those} of column `{column}` that the policy cannot have left"
    help_ = "give the released table, and the policy and parameters of its run"
    return CallError([Diagnostic("AC637", message, help=help_)])


def too_many(column: str, values: int) -> CallError:
    message = f"the policy draws one of {values:,} values for `{column}`, expected at most {MOST_VALUES:,}"
    return CallError([Diagnostic("AC631", message, help="estimate a column that has fewer values")])
