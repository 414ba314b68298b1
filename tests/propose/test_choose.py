"""The levels that values choose."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.hierarchies.from_csv import hierarchy_of
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.hierarchies.to_csv import hierarchy_text
from acompass.propose.choose import choose
from acompass.propose.levels import rows
from acompass.propose.values import Values


def chosen(texts: Sequence[str]) -> str:
    return choose(Values("x", tuple(texts))).words


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (list(map(str, range(17, 91))), "numbers, bands of 5, 10 and 20"),
        ([*map(str, range(17, 91)), "*"], "numbers, bands of 5, 10 and 20"),
        (list(map(str, range(1, 41))), "numbers, bands of 2, 10 and 20"),
        (list(map(str, range(10))), "numbers, bands of 2"),
        (list(map(str, range(1_000, 90_000, 1_000))), "numbers, bands of 5000, 10000 and 20000"),
        ([f"{n / 10}" for n in range(30)], "numbers, bands of 0.2, 1 and 2"),
        (["1e300", *map(str, range(20))], f"numbers, bands of 5{'0' * 298}, 1{'0' * 299} and 2{'0' * 299}"),
        (
            [f"1.{'0' * n}" for n in range(1, 12)],
            "11 values of no known form, no level but `*`; add levels by hand",
        ),
        (list(map(str, range(9))), "9 values of no known form, no level but `*`; add levels by hand"),
        (list(map(str, range(21201, 21290))), "codes of one length, prefixes of 4, 3 and 2"),
        ([f"{n:05}" for n in range(2139, 2160)], "codes of one length, prefixes of 4, 3 and 2"),
        ([f"A{n:02}" for n in range(20)], "codes of one length, prefixes of 2 and 1"),
        ([f"C50.{n:08}" for n in range(20)], "codes of one length, prefixes of 9, 6 and 3"),
        ([f"2018-03-{n:02}" for n in range(1, 32)], "dates, month, quarter, year and decade"),
        (["2018-03", "2018-04"], "dates, quarter, year and decade"),
        (["2010s", "2020s"], "2 values of no known form, no level but `*`; add levels by hand"),
        (["2018-02-30", "2018-03-01"], "2 values of no known form, no level but `*`; add levels by hand"),
        (["red", "tan"], "2 values of no known form, no level but `*`; add levels by hand"),
        (["*"], "1 value of no known form, no level but `*`; add levels by hand"),
    ],
)
def test_values_choose_levels(texts: list[str], words: str) -> None:
    assert chosen(texts) == words


texts = (
    st.text(min_size=1)
    | st.integers().map(str)
    | st.integers(10_000, 99_999).map(str)
    | st.floats(allow_nan=False).map(repr)
    | st.dates().map(str)
    | st.sampled_from(["*", ";", '"', "a\rb", "\ufeff", "30-34", "212**"])
)


@given(st.sets(texts, min_size=1, max_size=30) | st.sets(st.integers().map(str), min_size=12, max_size=30))
def test_every_chosen_hierarchy_is_read_back_without_problems(found: set[str]) -> None:
    values = Values("x", tuple(sorted(text for text in found if "\x00" not in text)) or ("a",))
    choice = choose(values)
    written = rows(values, choice.maps, choice.kind)
    read = hierarchy_of(hierarchy_text(written).encode("utf-8", "surrogatepass"))
    assert isinstance(read, Hierarchy), read
    assert read.rows == written
    assert {row[-1] for row in read.rows} == {"*"}
