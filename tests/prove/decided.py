"""Measure the share of decided claims about random policies of one to five requirements over two to five columns.

python -m tests.prove.decided --policies 2000 --kind everyday"""

import argparse
import random
import sys

from tests.prove.soundness import Figures, curators_policy, everyday_policy, published_policy

_KINDS = {"core": curators_policy, "everyday": everyday_policy, "published": published_policy}


def measure(seed: int, policies: int, kind: str = "core") -> Figures:
    rng = random.Random(seed)
    figures = Figures()
    for _ in range(policies):
        _KINDS[kind](rng, 0, figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=_KINDS, default="core", help="the paper's policies, or some beyond them")
    arguments = parser.parse_args()
    figures = measure(arguments.seed, arguments.policies, arguments.kind)
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in figures.verdicts.most_common())
    sys.stdout.write(f"{figures.policies:,} policies: {verdicts}\n")
    sys.stdout.write(f"decided: {figures.decided_share:.2%}\n")
    sys.stdout.writelines(f"{count:6,}  {doubt}\n" for doubt, count in figures.undecided.most_common(8))


if __name__ == "__main__":
    main()
