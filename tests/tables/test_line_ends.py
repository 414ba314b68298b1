"""No line ending in a file, its names or its values loses a record or changes a value.

The tests exist because DuckDB read no records from a file with Windows line endings and a line break in a
name.
"""

import io
from pathlib import Path
from random import Random

import pytest

import acompass
from acompass.tables.rfc4180 import records

ENDS = (b"\n", b"\r\n", b"\r")
VALUES = (b'"x\ny"', b'"x\r\ny"', b'"x\ry"', b"a", b'""', b'" "', b'"q""\n"')
NAMES = (b"n", b'"n\nm"', b'"n\r\nm"', b"n")


def random_file(rng: Random) -> bytes:
    ends = [rng.choice(ENDS) for _ in range(5)] if rng.random() < 0.5 else [rng.choice(ENDS)] * 5
    rows = [rng.choice(VALUES) + b",%d" % number for number in range(1, rng.randint(1, 5))]
    lines = [rng.choice(NAMES) + b",Age", *rows]
    content = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    return content.rstrip(b"\r\n") if rng.random() < 0.2 else content


@pytest.mark.parametrize("seed", range(150))
def test_every_record_arrives_as_it_is(seed: int, tmp_path: Path) -> None:
    content = random_file(Random(seed))
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    read = acompass.run("EACH RESULT : Age > 0;", path).table
    expected = [(value, int(age or "0")) for _, (value, age) in list(records(io.BytesIO(content), ","))[1:]]
    assert [tuple(record.values()) for record in read.to_pylist()] == expected
