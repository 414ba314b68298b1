"""Random formats of local dates, and texts that match a format or nearly do."""

import random
from datetime import date, timedelta

#: separators that `strptime` reads literally, and that separate digits
SEPARATORS = (".", "/", "-", ". ", ", ", " ", "_", "|", "+", "(", "*", "年", " of ")
_PARTS = (("%d",), ("%m", "%b", "%B"), ("%Y", "%y"))


def draw_format(rng: random.Random) -> str:
    parts = [rng.choice(choices) for choices in _PARTS]
    rng.shuffle(parts)
    between = [rng.choice(SEPARATORS) for _ in range(2)]
    around = [rng.choice(("", "", "(", "on ", "%%", ".")) for _ in range(2)]
    return f"{around[0]}{parts[0]}{between[0]}{parts[1]}{between[1]}{parts[2]}{around[1]}"


def draw_text(rng: random.Random, format_: str) -> str:
    text = _draw_date_text(rng, format_)
    return _break(rng, text) if rng.random() < 0.3 else text


def _draw_date_text(rng: random.Random, format_: str) -> str:
    """A text in the format; the day may not exist."""
    names = (date.min + timedelta(days=31 * rng.randrange(12))).strftime
    parts = {
        "%d": _number(rng, rng.choice((rng.randint(1, 28), rng.randint(28, 32), 29))),
        "%m": _number(rng, rng.choice((rng.randint(1, 12), 2, 13))),
        "%b": _vary_case(rng, names("%b")),
        "%B": _vary_case(rng, names("%B")),
        "%Y": f"{rng.choice((rng.randint(0, 9999), 1900, 2000, 2020, 0)):04}",
        "%y": f"{rng.choice((rng.randint(0, 99), 68, 69)):02}",
        "%%": "%",
        " ": " " * rng.choice((1, 1, 1, 2)),
    }
    for directive, text in parts.items():
        format_ = format_.replace(directive, text)
    return format_


def _number(rng: random.Random, number: int) -> str:
    return rng.choice((f"{number:02}", f"{number}"))


def _vary_case(rng: random.Random, name: str) -> str:
    return rng.choice((name, name.lower(), name.upper()))


def _break(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text) + 1)
    added = rng.choice(("", *".-/ 0123é\\$"))
    return text[:place] + added + text[place + rng.randint(0, 1) :]
