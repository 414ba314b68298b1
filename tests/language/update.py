"""Replace the expected results of all literate cases with the current ones: `python -m tests.language.update`.

Review the diff before committing it."""

import argparse
import tempfile
from pathlib import Path

from tests.language.cases import HERE, Case, read_cases, run_case


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path in sorted(HERE.glob("*.md")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for case in reversed(read_cases(path)):
            with tempfile.TemporaryDirectory() as folder:
                _rewrite(case, run_case(case, "reference", Path(folder)), lines)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rewrite(case: Case, outcome: dict[str, str], lines: list[str]) -> None:
    """Replace blocks from the last to the first, so that line numbers stay valid; append new blocks."""
    last = max(place.stop for place in case.lines.values())
    missing = [word for word in ("after", "verdicts", "error") if word in outcome and word not in case.lines]
    fresh = [part for word in missing for part in ("", f"```{word}", *outcome[word].splitlines(), "```")]
    lines[last + 1 : last + 1] = fresh
    for word, place in sorted(case.lines.items(), key=lambda item: -item[1].start):
        if word in outcome:
            lines[place] = outcome[word].splitlines()
        elif word in case.expected:
            del lines[place.start - 2 : place.stop + 1]


if __name__ == "__main__":
    main()
