"""The policy's text: what it does and what it does not promise, as comments above its lines."""

from collections.abc import Iterator, Sequence

from acompass.pram.request import Request
from acompass.pram.to_syntax import Line
from acompass.syntax import tree
from acompass.syntax.format import format_program, format_requirement
from acompass.syntax.parse import parse
from acompass.syntax.remarks import remark_lines

_ALLOWED = "-- allow AC504: a code becomes this value again below"

_INVARIANT = "so that the distribution of the column is expected to stay as it is (invariant PRAM)."
_COUNTS = (
    "The weights are counts of the table. They are constants that were chosen from the data: a proof of "
    "privacy speaks of the policy as it is, and does not cover how its constants came about."
)


def commented_text(request: Request, lines: Sequence[Line], *, turns_to_text: bool) -> str:
    header = [line for paragraph in _header(request, turns_to_text) for line in remark_lines(paragraph)]
    blocks = [f"{_ALLOWED}\n" * line.is_undone + format_requirement(line.requirement) for line in lines]
    text = "\n".join(header) + "\n\n" + "\n\n".join(blocks) + "\n"
    program = tree.Program(tuple(line.requirement for line in lines))
    assert parse(text)[0].requirements == program.requirements, "the text has another meaning"
    assert format_program(text) == text, "the text is not canonical"
    return text


def _header(request: Request, turns_to_text: bool) -> Iterator[str]:
    kept = f"Each record keeps its value with probability {request.keep}, and otherwise"
    if request.matrix is not None:
        yield f"{kept} gets one by the matrix." if request.keep else "Each record gets its value by a matrix."
        yield "Values become codes first, so that none is drawn twice; then the codes become values."
    elif request.uniform:
        yield f"{kept} gets one of all values, each with the same probability (randomized response)."
    else:
        about = "" if request.round is None else "about "
        yield f"{kept} gets one drawn by its share of the records, {about}{_INVARIANT}"
        yield _COUNTS if request.round is None else f"{_COUNTS} They are rounded to {request.round:,}."
    yield (
        "A value that is not listed becomes the most frequent one: a value that no other can turn into would "
        "give itself away. `acompass prove --privacy` says what this policy gives away."
    )
    if turns_to_text:
        yield "The codes are text, and make the column text (D12)."
