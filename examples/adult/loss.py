"""How much information the two policies of this folder lose: `python examples/adult/loss.py`.

The loss is ARX's default. A column has D values, and the label of a cell stands for some of them: the share
of the cell. `*` and the cells of dropped records have the share 1. L is the mean share, scaled so that an
unchanged column has 0 and a suppressed one 1. The total of m columns is the m-th root of the product of all
1 + L, less 1.
"""

import csv
import gzip
import tempfile
from collections.abc import Callable
from math import prod
from pathlib import Path

import acompass
from acompass.hierarchies.from_csv import read_hierarchy
from acompass.hierarchies.hierarchy import Hierarchy

HERE = Path(__file__).parent
TABLE = HERE / "adult.csv.gz"
POLICIES = ("paper.acp", "policy.acp")
AGES = range(17, 91)
#: columns without a hierarchy of their own: values stay, or become `*`
PLAIN = ("race", "sex")
#: values that the labels of paper.acp stand for; they are in no hierarchy
LABELS = {
    "education": {"none": 8, "school": 4, "degree": 4},
    "marital-status": {"married": 2, "single": 5},
    "native-country": {"elsewhere": 41},
}


def column_loss(shares: list[float], values: int) -> float:
    return max(0.0, (sum(shares) / len(shares) - 1 / values) / (1 - 1 / values))


def total_loss(losses: list[float]) -> float:
    return prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


def ages_of(label: str) -> int:
    """`30-34`, `60+` and plain ages."""
    if label.endswith("+"):
        return len([age for age in AGES if age >= int(label[:-1])])
    lower, _, upper = label.partition("-")
    return len([age for age in AGES if int(lower) <= age <= int(upper or lower)])


def values_of(column: str, label: str, hierarchy: Hierarchy) -> int:
    if label in hierarchy.lowest_level:
        return hierarchy.rows_with(label, hierarchy.lowest_level[label])
    return LABELS[column].get(label, 1)  # `?` is in no hierarchy and stands for itself


def columns() -> dict[str, tuple[int, Callable[[str], int]]]:
    """For each quasi-identifier, its number of values, and how many of them a label stands for."""
    with gzip.open(TABLE, "rt", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    found: dict[str, tuple[int, Callable[[str], int]]] = {"age": (len(AGES), ages_of)}
    for column in PLAIN:
        found[column] = (len({record[column] for record in records}), lambda label: 1)
    for column in LABELS:
        hierarchy = read_hierarchy(HERE / "hierarchies" / f"{column}.csv")
        assert isinstance(hierarchy, Hierarchy), hierarchy
        values = {row[0] for row in hierarchy.rows} | {record[column] for record in records}
        found[column] = (len(values), lambda label, c=column, h=hierarchy: values_of(c, label, h))
    return found


def released(policy: Path, folder: Path) -> tuple[acompass.Result, list[dict[str, str]]]:
    output = folder / "released.csv"
    result = acompass.run(acompass.load(policy), TABLE, output=output, params={"k": 5, "l": 3})
    with output.open(encoding="utf-8", newline="") as file:
        return result, list(csv.DictReader(file))


def losses(records: list[dict[str, str]], dropped: int) -> dict[str, float]:
    found = {}
    for column, (values, stands_for) in columns().items():
        labels = [record[column] for record in records]
        shares = [1.0 if label == "*" else stands_for(label) / values for label in labels]
        found[column] = column_loss(shares + [1.0] * dropped, values)
    return found


def main() -> None:
    print("policy      requirements  records dropped    loss  by column")
    for name in POLICIES:
        with tempfile.TemporaryDirectory() as folder:
            result, records = released(HERE / name, Path(folder))
        dropped = result.records_in - result.records_out
        lost = losses(records, dropped)
        by_column = ", ".join(f"{column} {loss:.3f}" for column, loss in lost.items())
        total = total_loss(list(lost.values()))
        print(f"{name:<10}  {len(result.requirements):>12}  {dropped:>15}  {total:.4f}  {by_column}")


if __name__ == "__main__":
    main()
