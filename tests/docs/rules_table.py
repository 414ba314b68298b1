"""Generate the table of rules at the end of docs/rules.md: `python -m tests.docs.rules_table`."""

import argparse

from acompass.author.rules.library import Rule, all_rules
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "rules.md"
HEADING = "\n## The rules\n"


def _row(rule: Rule) -> str:
    leaves_out = " ".join(rule.leaves_out)
    cells = (f"`{rule.name}`", f"[{rule.title}]({rule.source}), {rule.dated}", rule.covers, leaves_out)
    lines = (" ".join(cell.replace("|", "&#124;").split()) for cell in cells)
    return f"| {' | '.join(lines)} |\n"


def text() -> str:
    """The page with the table of all rules."""
    before = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    header = "| rule | source and date | what it covers | what it leaves out |\n| --- | --- | --- | --- |\n"
    return f"{before}{HEADING}\n{header}{''.join(map(_row, all_rules()))}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(text(), encoding="utf-8")
