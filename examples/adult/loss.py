"""How much information the two policies of this folder lose: `python examples/adult/loss.py`."""

import tempfile
from pathlib import Path

import acompass
from acompass.measure.answer import Loss

HERE = Path(__file__).parent
TABLE = HERE / "adult.csv.gz"
#: each policy, and the folder with the hierarchies of its labels
POLICIES = {"paper.acp": "paper", "policy.acp": "hierarchies"}


COLUMNS = ("education", "marital-status", "native-country")


def hierarchies(name: str, folder: Path) -> dict[str, Path]:
    """The other quasi-identifiers become bands or `*`."""
    found = {column: HERE / POLICIES[name] / f"{column}.csv" for column in COLUMNS}
    if name == "policy.acp":
        found["native-country"] = with_unknown(found["native-country"], folder)
    return found


def with_unknown(hierarchy: Path, folder: Path) -> Path:
    """ARX's hierarchy does not have `?`, which the policy keeps."""
    complete = folder / hierarchy.name
    complete.write_text(f"{hierarchy.read_text(encoding='utf-8')}\n?;?;*\n", encoding="utf-8")
    return complete


def run_and_measure(name: str, folder: Path) -> tuple[acompass.Result, Loss]:
    policy, output = acompass.load(HERE / name), folder / "released.csv"
    result = acompass.run(policy, TABLE, output=output, params={"k": 5, "l": 3})
    levels = hierarchies(name, folder)
    measures = acompass.measure(output, policy=policy, against=TABLE, hierarchies=levels)
    assert measures.loss is not None
    return result, measures.loss


def main() -> None:
    print("policy      requirements  records dropped    loss  by column")
    for name in POLICIES:
        with tempfile.TemporaryDirectory() as folder:
            result, loss = run_and_measure(name, Path(folder))
        dropped = result.records_in - result.records_out
        by_column = ", ".join(f"{each.column} {each.loss:.3f}" for each in loss.columns)
        print(f"{name:<10}  {len(result.requirements):>12}  {dropped:>15}  {loss.total:.4f}  {by_column}")


if __name__ == "__main__":
    main()
