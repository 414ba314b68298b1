"""SVG charts in the page's colours, each with a description in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from acompass.measures import Persons
from acompass.report.html.elements import Html, tag

_WIDTH, _HEIGHT = 720, 240
_LEFT, _BOTTOM, _TOP = 56, 26, 12


@dataclass(frozen=True, slots=True)
class Group:
    """Bars drawn side by side, one per series."""

    label: str
    values: tuple[Persons, ...]


def share_bar(part: Persons, whole: Persons, series: str) -> Html:
    """A bar for a table cell. The cell shows the number too, so screen readers skip the bar."""
    width = 0 if whole == 0 else max(float(100 * part / whole), 0.75 if part else 0)
    filled = tag("rect", width=f"{width:.2f}", height="8", rx="2", class_=series)
    ground = tag("rect", width="100", height="8", rx="2", class_="ground")
    return tag(
        "svg",
        ground,
        filled,
        viewBox="0 0 100 8",
        class_="bar",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def grouped_bars(title: str, words: str, groups: Sequence[Group], series: Sequence[str]) -> Html:
    """Vertical bars on a common scale; `words` describe them in a sentence."""
    highest = max((value for group in groups for value in group.values), default=0)
    scale = _ceiling(highest)
    marks = [_mark(value, scale) for value in range(0, scale + 1, max(scale // 4, 1))]
    room = (_WIDTH - _LEFT) / max(len(groups), 1)
    bars = [_group(group, _LEFT + place * room, room, scale, series) for place, group in enumerate(groups)]
    identifier = "chart-" + "".join(letter for letter in title.lower() if letter.isalnum())
    return tag(
        "svg",
        tag("title", title, id=f"{identifier}-title"),
        tag("desc", words, id=f"{identifier}-desc"),
        *marks,
        *bars,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="chart",
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


def _ceiling(highest: Persons) -> int:
    """The first of 4, 8, 12, 20, 40, 80, … that is large enough: each divides into four whole steps."""
    power = 1
    while True:
        for by in (4, 8, 12, 20):
            if by * power >= highest:
                return by * power
        power *= 10


def _height(value: Persons, scale: int) -> float:
    return float((_HEIGHT - _BOTTOM - _TOP) * value / scale)


def _mark(value: int, scale: int) -> Html:
    y = f"{_HEIGHT - _BOTTOM - _height(value, scale):.1f}"
    line = tag("line", x1=_LEFT, x2=_WIDTH, y1=y, y2=y, class_="grid")
    return tag(
        "g", line, tag("text", f"{value:,}", x=_LEFT - 8, y=y, dy="0.35em", text_anchor="end", class_="axis")
    )


def _group(group: Group, left: float, room: float, scale: int, series: Sequence[str]) -> Html:
    width = min(room * 0.8 / len(group.values), 40)
    start = left + (room - width * len(group.values)) / 2
    bars = [
        _bar(value, start + place * width, width, scale, name)
        for place, (value, name) in enumerate(zip(group.values, series, strict=True))
    ]
    middle = f"{left + room / 2:.1f}"
    label = tag("text", group.label, x=middle, y=_HEIGHT - _BOTTOM + 18, text_anchor="middle", class_="axis")
    return tag("g", *bars, label)


def _bar(value: Persons, left: float, width: float, scale: int, series: str) -> Html:
    height = _height(value, scale)
    return tag(
        "rect",
        x=f"{left + 1:.1f}",
        y=f"{_HEIGHT - _BOTTOM - height:.1f}",
        width=f"{max(width - 2, 1):.1f}",
        height=f"{height:.1f}",
        rx="2",
        class_=series,
    )
