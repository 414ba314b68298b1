"""How do journalist and individual risk compare with the published figures of sdcMicro?

`TABLES=folder python -m benchmarks.individual_risk` measures sdcMicro's tables, which are not shipped:
francdat.csv, free1.csv and sdc_testdata.csv. It prints our figures next to those on the reference pages of
sdcMicro 5.7.9, and next to the formulas computed in floating point, because no figures for free1.csv are
published. It exits with 1 if one differs.
"""

import csv
import math
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acompass import measure


@dataclass(frozen=True, slots=True)
class Example:
    table: str
    keys: tuple[str, ...]
    weight: str
    source: str
    #: the records that violate 2-anonymity, the expected re-identifications, and the records with a higher risk
    #: than the main part; None if unpublished
    published: tuple[int | None, str | None, int | None]


EXAMPLES = (
    Example("francdat", ("Key1", "Key2", "Key3", "Key4"), "w", "indivRisk", (4, "0.97", None)),
    Example(
        "sdc_testdata",
        ("urbrur", "roof", "walls", "water", "sex"),
        "sampling_weight",
        "measure_risk",
        (None, "1.53", 0),
    ),
    Example(
        "sdc_testdata",
        ("urbrur", "roof", "walls", "relat", "sex"),
        "sampling_weight",
        "print.sdcMicroObj",
        (26, "2.41", 0),
    ),
    Example("free1", ("REGION", "SEX", "AGE"), "WEIGHT", "none", (None, None, None)),
)


def main() -> int:
    folder = Path(os.environ.get("TABLES", ""))
    found = [line for example in EXAMPLES for line in _compare(folder, example)]
    print("\n".join(text for text, _ in found))
    return 0 if all(same for _, same in found) else 1


def _compare(folder: Path, example: Example) -> Iterator[tuple[str, bool]]:
    path = folder / f"{example.table}.csv"
    if not path.exists():
        yield f"skipped: {path.name} is not in TABLES", True
        return
    measures = measure(path, example.keys, sampling_weight=example.weight)
    assert measures.sampling is not None
    assert measures.journalist is not None
    plain = _floating_point_risks(path, example)
    yield f"{example.table} by {', '.join(example.keys)}; published: {example.source}", True
    sampling, expected = measures.sampling, f"{measures.sampling.expected:.2f}"
    ours = (int(measures.classes.uniques), expected, sampling.outstanding)
    names = ("violate 2-anonymity", "expected re-identifications", "higher risk than the main part")
    for name, figure, published in zip(names, ours, example.published, strict=True):
        yield (
            f"  {name:32} {figure:>12} {published if published is not None else '':>12}",
            published in (None, figure),
        )
    same = math.isclose(sampling.expected, sum(plain), rel_tol=1e-9)
    yield f"  {'Σ of individual risks':32} {sampling.expected:12.8f} {sum(plain):12.8f}", same
    same = math.isclose(sampling.maximum, max(plain), rel_tol=1e-9)
    yield f"  {'highest individual risk':32} {sampling.maximum:12.8f} {max(plain):12.8f}", same
    yield f"  {'highest journalist risk':32} {float(measures.journalist.maximum):12.8f}", True


def _floating_point_risks(path: Path, example: Example) -> list[float]:
    """The risk of each record by the formulas of Franconi and Polettini (2004), in floating point."""
    weights: dict[tuple[str, ...], list[float]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            weights[tuple(record[key] for key in example.keys)].append(float(record[example.weight]))
    return [_risk(len(each), sum(each)) for each in weights.values() for _ in each]


def _risk(records: int, persons: float) -> float:
    share = records / persons
    odds = share / (1 - share)
    if records == 1:
        return odds * math.log(1 / share)
    if records == 2:
        return odds - odds**2 * math.log(1 / share)
    return share / (records - (1 - share))


if __name__ == "__main__":
    sys.exit(main())
