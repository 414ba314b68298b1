"""Blanks next to quotes are found in every position, and nothing else is reported."""

from pathlib import Path

import pytest

from acompass.tables.blanks import has_blanks_at_quotes
from tests.tables.tables import csv_file


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('a,b\n1, "x"\n', True),
        ('a,b\n1,   "x"\n', True),
        ('a,b\n "x",1\n', True),
        ('a,b\r\n1,"x" \r\n', True),
        ('a,b\n"x" ,1\n', True),
        ('a,b\n"x"    ,1\n', True),
        ('a,b\n1,"x"', False),
        ('a,b\n1,"x"  ', True),
        ('a,b\n1,say "x" twice\n', False),
        ('a,b\n1,say  "x"  twice\n', False),
        ('a,b\n1,"say ""x"" "\n', True),
        ('a,b\n"x" "y",1\n', True),
        ("a,b\n1, 2 \n", False),
    ],
)
@pytest.mark.parametrize("padding", [0, (1 << 22) - 8, (1 << 22) - 9, (1 << 22) - 10, (1 << 22) - 11])
def test_where_blanks_stand_at_a_quote(tmp_path: Path, text: str, found: bool, padding: int) -> None:
    path = csv_file(tmp_path, "n,m\n" + "1,2\n" * (padding // 4) + "3" * (padding % 4) + "\n" + text)
    assert has_blanks_at_quotes(path, path, ",") is found
