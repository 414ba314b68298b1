"""BANDS (X2): labels by example, and compared with enumeration."""

from decimal import Decimal
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.bands import Bands, bands_problem, cuts_problem
from acompass.language.program.label_maps import Dates
from acompass.language.text.tree import DateUnit
from tests.program.maps.brute_bands import INFINITY, Spec, band_name, find_label, relabel


def bands_of(width: str, start: str | None = None, end: str | None = None, integer: bool = True) -> Bands:
    ends = [None if text is None else Decimal(text) for text in (start, end)]
    return Bands.of(Decimal(width), *ends, integer)


def bands_at(*cuts: str, integer: bool = True) -> Bands:
    return Bands.at([Decimal(cut) for cut in cuts], integer)


AGES = bands_of("5", end="90")
WHOLE = bands_of("5", start="0", end="90")
CUTS = bands_at("18", "25", "26", "65")
RATES = bands_of("0.5", integer=False)
PRICES = bands_at("0.5", "1", "2.25", integer=False)


@pytest.mark.parametrize(
    ("bands", "text", "label"),
    [
        (AGES, "34", "30-34"),
        (AGES, "0", "0-4"),
        (AGES, "-1", "-5 to -1"),
        (AGES, "90", "90+"),
        (AGES, "9223372036854775808", "90+"),
        (AGES, "34.0", "30-34"),
        (AGES, "34.5", None),
        (AGES, "034", None),
        (AGES, "+34", None),
        (AGES, "٣٤", None),
        (AGES, "", None),
        (AGES, "thirty", None),
        (AGES, "9" * 5_000, None),
        (AGES, "*", "*"),
        (AGES, "30-34", "30-34"),
        (AGES, "31-32", "30-34"),
        (AGES, "30-39", "30-39"),
        (AGES, "28-33", None),
        (AGES, "33-28", None),
        (AGES, "-4 to -2", "-5 to -1"),
        (AGES, "-10 to 4", "-10 to 4"),
        (AGES, "90+", "90+"),
        (AGES, "100+", "90+"),
        (AGES, "80+", "80+"),
        (AGES, "81+", None),
        (AGES, "85-94", None),
        (AGES, "91-94", "90+"),
        (AGES, "<3", "<3"),
        (AGES, "[30,35)", None),
        (AGES, "nan", None),
        (WHOLE, "-7", "<0"),
        (WHOLE, "<0", "<0"),
        (WHOLE, "<-3", "<0"),
        (WHOLE, "<10", "<10"),
        (WHOLE, "<3", None),
        (bands_of("1"), "7", "7"),
        (bands_of("1"), "-7", "-7"),
        (bands_of("10", start="3"), "2", "<3"),
        (bands_of("10", start="3"), "12", "3-12"),
        (bands_of("10", start="-3"), "6", "-3 to 6"),
        (CUTS, "17", "<18"),
        (CUTS, "18", "18-24"),
        (CUTS, "25", "25"),
        (CUTS, "26", "26-64"),
        (CUTS, "65", "65+"),
        (CUTS, "18-25", "18-25"),
        (RATES, "0.49", "[0.0,0.5)"),
        (RATES, "2.50", "[2.5,3.0)"),
        (RATES, "-0.0", "[0.0,0.5)"),
        (RATES, "-0.1", "[-0.5,0.0)"),
        (RATES, "1e-7", "[0.0,0.5)"),
        (RATES, "-1e-07", "[-0.5,0.0)"),
        (RATES, "1e+3", "[1000.0,1000.5)"),
        (RATES, "1e-9999", "[0.0,0.5)"),
        (RATES, "1e99999", None),
        (RATES, "inf", None),
        (RATES, "nan", None),
        (RATES, "[0.51,0.59)", "[0.5,1.0)"),
        (RATES, "[0,1)", "[0,1)"),
        (RATES, "[0,1.2)", None),
        (RATES, "[1,0)", None),
        (RATES, "[0.25,0.75)", None),
        (RATES, "0.25+", "0.25+"),
        (RATES, "30-34", None),
        (PRICES, "0.49999", "<0.50"),
        (PRICES, "1", "[1.00,2.25)"),
        (PRICES, "inf", "2.25+"),
        (PRICES, "-inf", "<0.50"),
        (bands_at("18", "25", integer=False), "18.5", "[18,25)"),
    ],
)
def test_a_text_has_this_label(bands: Bands, text: str, label: str | None) -> None:
    assert bands.label(text) == label


@pytest.mark.parametrize(
    ("later", "earlier", "follows"),
    [
        (bands_of("10"), bands_of("5"), True),
        (bands_of("5"), bands_of("5"), True),
        (bands_of("5"), bands_of("10"), False),
        (bands_of("7"), bands_of("5"), False),
        (bands_of("10", start="5"), bands_of("5"), True),
        (bands_of("10", start="3"), bands_of("5"), False),
        (bands_of("10"), AGES, True),
        (bands_of("20"), AGES, True),
        (bands_of("10", end="100"), AGES, False),
        (bands_of("10", end="90"), bands_of("5"), True),
        (bands_of("10", start="0"), WHOLE, True),
        (bands_of("10", start="-10"), WHOLE, False),
        (bands_of("10", start="-10"), AGES, True),
        (CUTS, bands_of("5"), False),
        (CUTS, bands_of("1"), True),
        (bands_at("20", "65"), bands_of("5"), True),
        (bands_at("20", "65"), bands_of("5", start="20", end="65"), True),
        (bands_at("20", "65"), bands_of("5", start="25", end="65"), False),
        (bands_at("25", "65"), CUTS, True),
        (bands_at("25", "66"), CUTS, False),
        (bands_of("100"), CUTS, True),
        (bands_of("20"), CUTS, False),
        (bands_of("5", start="25", end="30"), bands_at("20", "25", "30"), True),
        (bands_of("1", start="18", end="65"), CUTS, False),
        (bands_of("1000000", start="0", end="1000000"), bands_of("1"), True),
        (bands_of("1", integer=False), bands_of("0.5", integer=False), True),
        (bands_of("1", integer=False), bands_of("0.3", integer=False), False),
        (bands_of("1", integer=False), bands_of("0.3", start="0", end="0.9", integer=False), True),
        (bands_of("10", integer=False), bands_of("5"), False),
    ],
)
def test_bands_follow_bands_that_have_their_bounds(later: Bands, earlier: Bands, follows: bool) -> None:
    assert later.follows(earlier) is follows


def test_bands_follow_no_other_kind() -> None:
    assert not AGES.follows(Dates(DateUnit.YEAR))


@pytest.mark.parametrize(
    ("width", "start", "end", "integer", "words"),
    [
        ("5", None, "90", True, None),
        ("5", "3", "93", True, None),
        ("0.5", None, "2", False, None),
        ("5", None, "-5", True, None),
        ("5.0", None, None, True, None),
        ("0", None, None, True, "the width of bands must be greater than 0, found 0"),
        ("-5", None, None, True, "the width of bands must be greater than 0, found -5"),
        ("0.5", None, None, True, "bands of integers need integer bounds, found 0.5"),
        ("5", None, "92", True, "UP TO 92 is not a multiple of 5"),
        ("5", "3", "92", True, "UP TO 92 is not 3 plus a multiple of 5"),
        ("5", "90", "0", True, "UP TO 0 must be above FROM 90"),
    ],
)
def test_the_constants_of_bands_of_are_checked(
    width: str, start: str | None, end: str | None, integer: bool, words: str | None
) -> None:
    ends = [None if text is None else Decimal(text) for text in (start, end)]
    assert bands_problem(Decimal(width), *ends, integer) == words


def test_the_constants_of_bands_at_are_checked() -> None:
    assert cuts_problem([Decimal(18), Decimal(25)], True) is None
    falling = cuts_problem([Decimal(18), Decimal(18)], True)
    assert falling == "the numbers after AT must increase, but 18 follows 18"
    assert cuts_problem([Decimal("0.5")], True) == "bands of integers need integer bounds, found 0.5"


def test_labels_are_listed_if_they_are_finitely_many() -> None:
    assert CUTS.labels() == ("<18", "18-24", "25", "26-64", "65+")
    assert bands_of("10", start="0", end="20").labels() == ("<0", "0-9", "10-19", "20+")
    assert AGES.labels() is None
    assert bands_of("1", start="0", end="1000000000").labels() is None


def test_bands_between_two_numbers_are_listed() -> None:
    assert list(AGES.bands_between(-3, 7)) == [("-5 to -1", -5, 0), ("0-4", 0, 5), ("5-9", 5, 10)]
    assert list(AGES.bands_between(86, None)) == [("85-89", 85, 90), ("90+", 90, None)]
    assert list(CUTS.bands_between(None, Decimal("17.5"))) == [("<18", None, 18)]
    first = next(RATES.bands_between(Decimal("0.7"), None))
    assert first == ("[0.5,1.0)", Decimal("0.5"), Decimal("1.0"))
    assert [band.label for band in islice(bands_of("1").bands_between(5, None), 3)] == ["5", "6", "7"]


integers = st.integers(-60, 60).map(Decimal)
decimals = st.decimals(-60, 60, places=2)


@st.composite
def specs(draw: st.DrawFn, integer: bool) -> Spec:
    numbers = integers if integer else st.decimals(-60, 60, places=1)
    if draw(st.booleans()):
        return Spec(integer, at=tuple(sorted(draw(st.sets(numbers, min_size=1, max_size=6)))))
    widths = st.sampled_from([1, 2, 3, 5, 10, 20] if integer else ["0.5", "1", "2.5", "10"]).map(Decimal)
    width, start = draw(widths), draw(st.none() | numbers)
    count = draw(st.none() | st.integers(1 if start is not None else -8, 8))
    end = None if count is None else (start or Decimal(0)) + count * width
    return Spec(integer, width, start, end)


@given(st.data(), st.booleans())
def test_a_number_is_in_the_band_that_enumeration_finds(data: st.DataObject, integer: bool) -> None:
    spec, number = data.draw(specs(integer)), data.draw(integers | decimals)
    assert spec.map().label(f"{number:f}") == find_label(spec, number)


@given(st.data(), st.booleans())
def test_a_label_becomes_what_enumeration_finds(data: st.DataObject, integer: bool) -> None:
    spec = data.draw(specs(integer))
    bounds = sorted(data.draw(st.sets(integers if integer else decimals, min_size=2, max_size=2)))
    low, high = data.draw(st.sampled_from([bounds, [-INFINITY, bounds[0]], [bounds[0], INFINITY]]))
    text = band_name(Spec(integer, Decimal(1 if integer else "0.01")), low, high)
    assert spec.map().label(text) == relabel(spec, text, low, high)


@given(st.data(), st.booleans())
def test_a_greater_number_is_never_in_a_lower_band(data: st.DataObject, integer: bool) -> None:
    bands = data.draw(specs(integer)).map()
    low, high = sorted(data.draw(st.tuples(integers, integers)))
    order = [band.label for band in bands.bands_between(low, high)]
    first, last = bands.label(f"{low:f}"), bands.label(f"{high:f}")
    assert (order[0], order[-1]) == (first, last)
    assert len(set(order)) == len(order)


@given(st.data())
def test_integers_between_two_multiples_of_the_step_have_one_label(data: st.DataObject) -> None:
    bands, low = data.draw(specs(integer=True).map(Spec.map)), int(data.draw(integers))
    if bands.step is not None:
        multiple = low - low % bands.step
        assert len({bands.label(str(number)) for number in range(multiple, multiple + bands.step)}) == 1


def test_only_bands_of_integers_at_multiples_of_their_width_have_a_step() -> None:
    stepped = (AGES, bands_of("5", start="-15", end="90"))
    assert [each.step for each in (*stepped, bands_of("5", start="3"), CUTS, RATES)] == [5, 5, None, None, None]


@given(st.data(), st.booleans())
def test_bands_follow_exactly_if_nothing_changes_on_the_way(data: st.DataObject, integer: bool) -> None:
    """Open labels of the earlier map stay where the later map has no bound; they then say less about a number."""
    earlier_spec, later_spec = data.draw(specs(integer)), data.draw(specs(integer))
    earlier, later = earlier_spec.map(), later_spec.map()
    below, above = later_spec.is_open()
    changed = False
    for tenths in range(-2500, 2500, 10 if integer else 1):
        text = str(tenths // 10) if integer else f"{Decimal(tenths) / 10:f}"
        on_the_way = earlier.label(text)
        assert on_the_way is not None
        stays = (on_the_way[0] == "<" and not below) or (on_the_way[-1] == "+" and not above)
        changed = changed or later.label(on_the_way) != (on_the_way if stays else later.label(text))
    assert later.follows(earlier) is not changed


@given(st.data(), st.booleans())
def test_generalizing_a_label_again_changes_nothing(data: st.DataObject, integer: bool) -> None:
    bands = data.draw(specs(integer)).map()
    other = data.draw(specs(integer)).map()
    text = f"{data.draw(integers):f}"
    for given_text in (text, other.label(text) or "*"):
        label = bands.label(given_text)
        assert label is None or bands.label(label) == label
