"""What a person asks of a search."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from acompass.diagnostics import CallError, Diagnostic
from acompass.options import LINES, MOST_LOST, HierarchiesArgument

Style: TypeAlias = Literal["cascade", "uniform", "stars"]
STYLES: tuple[Style, ...] = ("cascade", "uniform", "stars")

_SHARE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,30})?)\s*(%?)")


@dataclass(frozen=True)
class Request:
    """Names are those of the call."""

    qi: tuple[str, ...]
    k: int
    sensitive: tuple[str, ...]
    l: int | None  # noqa: E741
    t: Fraction | None
    hierarchies: HierarchiesArgument
    max_lost: Fraction
    lines: int
    seconds: float | None
    keep: tuple[str, ...]
    style: Style
    compare: bool

    @property
    def needs_sensitive(self) -> bool:
        return self.l is not None or self.t is not None


def request_of(
    qi: Sequence[str],
    k: int,
    sensitive: Sequence[str] | None,
    l: int | None,  # noqa: E741
    t: str | None,
    hierarchies: HierarchiesArgument | None,
    max_lost: str | None,
    lines: int | None,
    seconds: float | None,
    keep: Sequence[str] | None,
    style: str,
    compare: bool,
) -> Request:
    """The request of a call. Raises if no table could satisfy it, or every table would."""
    request = Request(
        qi=tuple(qi),
        k=k,
        sensitive=tuple(sensitive or ()),
        l=l,
        t=None if t is None else share(t),
        hierarchies=hierarchies or (),
        max_lost=share(MOST_LOST if max_lost is None else max_lost),
        lines=LINES if lines is None else lines,
        seconds=seconds,
        keep=tuple(keep or ()),
        style=_style(style),
        compare=compare,
    )
    _require_sense(request)
    return request


def _style(text: str) -> Style:
    for style in STYLES:
        if style == text:
            return style
    raise invalid(f"unknown style `{text}`", f"use one of {', '.join(f'`{style}`' for style in STYLES)}")


def share(text: str) -> Fraction:
    """`5%` or `0.05`."""
    found = _SHARE.fullmatch(text.strip())
    if found is None or (part := Fraction(found[1]) / (100 if found[2] else 1)) > 1:
        raise invalid(f"`{text}` is no part of the records", "write for example `5%`")
    return part


def _require_sense(request: Request) -> None:
    if not request.qi:
        raise CallError([Diagnostic("AC601", "no quasi-identifiers", help="name them: `--qi Age,Zip`")])
    _at_least("k", request.k, 2)
    _at_least("lines", request.lines, 1)
    if request.l is not None:
        _at_least("l", request.l, 2)
    if request.t is not None and not 0 < request.t < 1:
        raise invalid("`t` is not between 0 and 1", "t=0.2")
    if request.seconds is not None and not request.seconds > 0:
        raise invalid("`seconds` is not above 0", "seconds=10")
    if request.needs_sensitive and not request.sensitive:
        goal = "l" if request.l is not None else "t"
        message = f"`{goal}` needs a sensitive column"
        raise CallError([Diagnostic("AC622", message, help="name it: `--sensitive Disease`")])


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise invalid(f"`{name}` is {value:,}, expected at least {least}", f"{name}={least}")


def invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC621", message, help=help_)])
