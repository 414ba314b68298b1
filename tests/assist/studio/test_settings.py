"""The settings of a policy and its table are written into an acompass.toml, which keeps everything else."""

import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.assist.studio.settings import (
    Settings,
    edit_settings,
    options_by_column,
    policy_section,
    table_section,
)
from acompass.options import Hierarchies, Opening
from acompass.policy import (
    PolicySettings,
    TableRoles,
    policy_settings,
    reading_settings,
    table_roles,
    table_settings,
)

POLICY, TABLE = "release.acp", "people.csv"


def edit(text: str, settings: Settings) -> str:
    sections = policy_section(POLICY, settings.policy), table_section(TABLE, settings)
    return edit_settings(text, sections)


def read(text: str) -> Settings:
    """What the commands read; the path of the table is relative to the folder."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "acompass.toml")
        path.write_bytes(text.encode())
        policy = policy_settings(Path(folder, POLICY))
        table = None if policy.table is None else str(Path(policy.table).relative_to(folder))
        found = {name: getattr(policy, name) for name in PolicySettings.__slots__}
        of_policy = PolicySettings(**(found | {"table": table}))
        file = Path(folder, TABLE)
        levels = table_settings(file, Hierarchies).get("hierarchies", {})
        return Settings(of_policy, table_roles(file), reading_settings(file), levels)


FULL = Settings(
    PolicySettings(
        TABLE, {"k": 5, "since": "2024-01-31", "share": Decimal("0.20")}, "Study", "Data office", "Institute"
    ),
    TableRoles(("age", "zip"), ("diagnosis",), ("name",), ("ward",), "patient"),
    Opening(missing={"zip": "?"}, dates={"admission": "%d.%m.%Y"}, delimiter=";", decimal=",", header=True),
    {"age": "bands:5,10", "ward": "wards.csv"},
)


def test_a_new_file_is_readable() -> None:
    assert (
        edit("", FULL)
        == """\
[policy."release.acp"]
table = "people.csv"
params = {k = 5, since = "2024-01-31", share = 0.20}
purpose = "Study"
prepared-by = "Data office"
recipients = "Institute"

[table."people.csv"]
quasi-identifiers = ["age", "zip"]
sensitive = ["diagnosis"]
identifiers = ["name"]
other = ["ward"]
person = "patient"
missing = {zip = "?"}
dates = {admission = "%d.%m.%Y"}
delimiter = ";"
decimal = ","
header = true
hierarchies = {age = "bands:5,10", ward = "wards.csv"}
"""
    )


COMMENTED = """\
# of the whole file

[policy."other.acp"]  # of another policy
table   =   'other.csv'

  [policy."release.acp"]  # of the header
  # above the table
  table = "people.csv"  # next to the table
  params = { k = 3 }    # next to k

# above the table's section
[table."people.csv"]
quasi-identifiers = [
    "age",  # of the age
    "zip",
    # before the end
]
memory-limit = "2GiB"

# at the end"""


def test_comments_formatting_and_other_keys_are_kept() -> None:
    changed = Settings(
        PolicySettings(TABLE, {"k": 4}, valid_until=date(2027, 12, 31)),
        TableRoles(("age", "sex"), other=("ward",)),
        Opening(memory_limit="2GiB"),
    )
    expected = (
        COMMENTED.replace("k = 3", "k = 4")
        .replace("# next to k\n", "# next to k\n  valid-until = 2027-12-31\n")
        .replace('    "zip",\n    # before the end\n', '    # before the end\n    "sex"\n')
        .replace('"2GiB"\n', '"2GiB"\nother = ["ward"]\n')
    )
    assert edit(COMMENTED, changed) == expected


def test_defaults_remove_their_keys_and_nothing_else() -> None:
    cleared = edit(COMMENTED, Settings())
    assert tomllib.loads(cleared) == {
        "policy": {"other.acp": {"table": "other.csv"}, "release.acp": {}},
        "table": {"people.csv": {}},
    }
    for comment in ("of the whole file", "of another policy", "of the header", "above the table", "at the end"):
        assert comment in cleared


@pytest.mark.parametrize(
    "text",
    [
        'policy = { "release.acp" = { table = "a.csv", params = { k = 1 } } }\n',
        'policy."release.acp".table = "a.csv"\npolicy."release.acp".params.k = 1\n',
        '[policy]\n"release.acp" = { table = "a.csv" }\n',
        '[policy]\n"release.acp".params.k = 1\n\n[table]\n"people.csv" = { person = "x" }\n',
        '[policy."release.acp".params]\nk = 1 # one\nl = 2\n[table."people.csv".missing]\nage = 0\n',
        '[policy."release.acp"]\nparams.k = 1\nparams.since = 2024-01-31\n',
        '[policy."release.acp".params]\n',
        '[table."people.csv".hierarchies]  # levels\nage = "dates"\nzip = "prefix:3"\n',
        '[table."people.csv"]\nmissing = "drop"\n[policy."release.acp"]\ninput = "a.csv"\n[table."b.csv"]\nother = []',
        "[table]\n[policy]\n",
        '"policy".\'release.acp\'."table" = """\na\n"""\n',
    ],
)
def test_every_way_to_write_a_section_is_understood(text: str) -> None:
    after = edit(text, FULL)
    content = tomllib.loads(after)
    assert ("input" in content["policy"]["release.acp"]) == ("input" in text)
    assert read(after.replace("input =", "table =")) == FULL
    assert edit(after, FULL) == after
    assert read(edit(after, Settings()).replace("input =", "table =")) == Settings()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_are_kept(end: str) -> None:
    text = COMMENTED.replace("\n", end)
    changed = edit(text, FULL)
    assert changed.count("\n") == changed.count(end)
    assert '[policy."other.acp"]  # of another policy' + end in changed


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (("drop",), "drop"),
        (("Zip=?", "age=drop"), {"zip": "?", "age": "drop"}),
        (("drop", "zip=?"), {"age": "drop", "zip": "?", "a=b": "drop"}),
        (("a=b=c",), {"a=b": "c"}),
        (("x=1",), "x=1"),
        ({"zip": "?"}, {"zip": "?"}),
        ("drop", "drop"),
        (None, None),
    ],
)
def test_options_of_a_command_line_are_written_by_column(given: Any, written: Any) -> None:
    assert options_by_column(given, ("age", "zip", "a=b")) == written


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)
NAMES = st.one_of(WORDS, st.sampled_from(["age", "zip", "a b", 'say "x"', "a.b", "#", "=", "\u2028", "\\"]))
LINES = WORDS.filter(lambda text: text.isprintable() and bool(text.strip()))
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9)
PARAMETERS = st.dictionaries(
    st.sampled_from(["k", "l", "since", "t_1"]),
    st.one_of(st.integers(-(2**63), 2**63 - 1), WORDS, st.booleans(), NUMBERS),
)
POLICIES = st.builds(
    PolicySettings,
    st.none() | st.sampled_from(["people.csv", "raw/people.csv", 'a "b".csv']),
    PARAMETERS,
    st.none() | LINES,
    st.none() | LINES,
    st.none() | LINES,
    st.none() | st.dates(),
)


@st.composite
def roles(draw: st.DrawFn) -> TableRoles:
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    chosen = [draw(st.integers(0, 3)) for _ in names]
    lists = [tuple(name for name, own in zip(names, chosen, strict=True) if own == place) for place in range(4)]
    return TableRoles(*lists, draw(st.none() | NAMES))


BY_COLUMN = st.dictionaries(NAMES, WORDS.filter(lambda text: text != "error"), min_size=1, max_size=3)
READING = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.one_of(st.just("drop"), BY_COLUMN),
        "dates": BY_COLUMN,
        "delimiter": st.sampled_from([";", "\t", "|"]),
        "encoding": st.just("cp1252"),
        "header": st.just(True),
        "sheet": WORDS,
    },
)
LEVELS = st.dictionaries(NAMES, st.sampled_from(["bands:5,10", "prefix:4,3", "dates", "of people.csv", "../a.csv"]))
SETTINGS = st.builds(Settings, POLICIES, roles(), READING, LEVELS)
OTHER = st.sampled_from(
    [
        "# a comment \u2028 with a strange letter\n",
        "\n",
        '[policy."a.acp"] # c\ntable   =  "x.csv"\n\n',
        '[table."x.csv"]\nother = [ "a", # c\n  "b" ]\n',
        '[table."x.csv".dates]\nd = "%d" # d\n',
        '[policy."b.acp"]\n\tparams = {k=1}\n\tpurpose = """two"""\n',
    ]
)


@given(SETTINGS, SETTINGS, st.lists(OTHER, unique=True), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_and_the_rest_is_kept(
    first: Settings, second: Settings, other: list[str], end: str
) -> None:
    """Law: after any two edits the reader finds the second, and removing all settings restores the other statements."""
    others = [each for each in other if not each.startswith('[table."x.csv".')]
    text = "".join(others).replace("\n", end)
    once = edit(text, first)
    assert once.startswith(text)
    assert read(once) == first
    twice = edit(once, second)
    assert twice.startswith(text)
    assert read(twice) == second
    assert edit(twice, second) == twice
    assert read(edit(twice, Settings())) == Settings()
