"""Measure the share of decided claims about random policies of one to five requirements over two to five columns.

python -m tests.prove.decided --policies 2000 --everyday"""

import argparse
import random
import sys

from tests.prove.soundness import Figures, curators_policy, everyday_policy


def measure(seed: int, policies: int, *, everyday: bool = False) -> Figures:
    rng = random.Random(seed)
    figures = Figures()
    test = everyday_policy if everyday else curators_policy
    for _ in range(policies):
        test(rng, 0, figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--everyday", action="store_true", help="use policies beyond the paper")
    arguments = parser.parse_args()
    figures = measure(arguments.seed, arguments.policies, everyday=arguments.everyday)
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in figures.verdicts.most_common())
    sys.stdout.write(f"{figures.policies:,} policies: {verdicts}\n")
    sys.stdout.write(f"decided: {figures.decided_share:.2%}\n")
    sys.stdout.writelines(f"{count:6,}  {doubt}\n" for doubt, count in figures.undecided.most_common(8))


if __name__ == "__main__":
    main()
