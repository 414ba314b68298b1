"""Levels that fit a column, from its values alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from acompass.checked.exact import shortest
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.propose.levels import band_levels, date_levels, prefix_levels
from acompass.propose.rungs import listed
from acompass.propose.specs import ByBands, ByDate, ByPrefix
from acompass.propose.values import Values, is_integer, is_number
from acompass.syntax.tree import DateUnit

#: with fewer numbers than this, bands say little
_FEW = 10
#: about this many bands at the first level
_BANDS = 20
#: integers of one length that have at least so many digits are codes, such as postal codes
_CODE_DIGITS = 5
#: by the first digit of the narrowest width, which is round: 5, 10, 20 or 2, 10, 20 or 10, 50, 100
_FACTORS = {1: (1, 5, 10), 2: (1, 5, 10), 5: (1, 2, 4)}


@dataclass(frozen=True, slots=True)
class Choice:
    """Levels, what they expect the values to be, and words that say both."""

    maps: tuple[Map, ...]
    kind: str
    words: str


def choice_of(values: Values, spec: ByBands | ByPrefix | ByDate | None) -> Choice:
    """Without a spec, the values decide."""
    match spec:
        case ByBands(widths):
            return by_bands(values, widths)
        case ByPrefix(lengths):
            return by_prefix(lengths)
        case ByDate():
            return by_date(values)
        case None:
            return choose(values)


def choose(values: Values) -> Choice:
    """By the values: codes of one length, numbers, dates, or anything."""
    texts = [text for text in values.texts if text != SUPPRESSED]
    if _are_codes(texts):
        return by_prefix(_lengths(len(texts[0])))
    if _are_numbers(texts):
        return by_bands(values, _widths(texts))
    if _are_dates(texts):
        return by_date(values)
    return by_value(values)


def by_bands(values: Values, widths: Sequence[Decimal]) -> Choice:
    words = f"numbers, bands of {listed([f'{width:f}' for width in widths])}"
    return Choice(band_levels(values, widths), "numbers", words)


def by_prefix(lengths: Sequence[int]) -> Choice:
    return Choice(prefix_levels(lengths), "texts", f"codes of one length, prefixes of {listed(lengths)}")


def by_date(values: Values) -> Choice:
    maps = date_levels(values)
    return Choice(maps, "ISO dates", f"dates, {listed([each.unit.lower() for each in maps] or ['*'])}")


def by_value(values: Values) -> Choice:
    count = "1 value" if len(values.texts) == 1 else f"{len(values.texts):,} values"
    return Choice((), "values", f"{count} of no known form, no level but `*`; add levels by hand")


def _are_numbers(texts: Sequence[str]) -> bool:
    return len(texts) >= _FEW and all(map(is_number, texts)) and len(set(map(Decimal, texts))) > 1


def _are_dates(texts: Sequence[str]) -> bool:
    """Years alone are numbers, and decades are as coarse as dates get."""
    labels = [Dates(DateUnit.DECADE).label(text) for text in texts]
    return None not in labels and labels != list(texts) and not any(map(is_number, texts))


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether all values have one length and look like codes: no words, no small numbers, no dates."""
    if len({len(text) for text in texts}) != 1 or len(texts) < _FEW:
        return False
    length = len(texts[0])
    if all(map(is_number, texts)):
        return length >= _CODE_DIGITS and all(map(str.isdecimal, texts))
    has_digits = all(any(map(str.isdecimal, text)) and not any(map(str.isspace, text)) for text in texts)
    return length > 1 and has_digits and not _are_dates(texts)


def _lengths(length: int) -> list[int]:
    """Up to three: of a short code, each one character shorter; of a long one, its quarters."""
    if length <= _CODE_DIGITS:
        return [each for each in (length - 1, length - 2, length - 3) if each > 0]
    return [length * 3 // 4, length // 2, length // 4]


def _widths(texts: Sequence[str]) -> list[Decimal]:
    """Round widths, each a multiple of the one before."""
    numbers = [Decimal(text) for text in texts]
    reach = max(numbers) - min(numbers)
    narrowest = _round_up(reach / _BANDS)
    if all(map(is_integer, texts)):
        narrowest = max(narrowest, Decimal(2))
    factors = _FACTORS[narrowest.as_tuple().digits[0]]
    return [shortest(narrowest * factor) for factor in factors if factor == 1 or narrowest * factor < reach]


def _round_up(number: Decimal) -> Decimal:
    """The next number that is 1, 2 or 5 times a power of ten."""
    power = Decimal(1).scaleb(number.adjusted())
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= number)
