"""Generate the page that lists all codes: `python -m tests.docs.errors_index`."""

import argparse
from itertools import groupby

from acompass.errors.catalog import CODES
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "errors" / "index.md"

#: headings by the first digit of a code
GROUPS = {
    "0": "The text of a policy",
    "1": "The policy and the table's columns",
    "2": "Tables",
    "3": "Engines",
    "4": "Arguments and files of a call",
    "5": "Lint and prove",
    "6": "Measuring, and searching for a policy",
    "7": "Explaining and reporting",
    "8": "The studio and editors",
    "9": "Internal errors",
}

INTRODUCTION = """\
# Errors

Every message has a stable code in brackets, `error[AC101]`, and shows the place in the policy. Each code
has a page that says what it means and why it is an error, with an example and a fix. `acompass explain
AC101` prints the page.

Many messages also carry fixes as data, in `--json`, in SARIF and in Python (`error.diagnostics[0].fixes`).
A fix is *safe* if it is the only possible reading of the text: `=` for `==`, a missing `;`, a misspelled
keyword, `A IN (1, 2)` for `A IN 1, 2`. `acompass lint --fix` and `acompass check --fix` apply the
safe fixes to the policy and continue with the result; `--diff` prints them as a diff and writes nothing. Other
fixes, such as the closest name for an unknown column, are only suggested.
"""


def text() -> str:
    return INTRODUCTION + "".join(
        f"\n## {GROUPS[digit]}\n\n" + "".join(f"- [{code}]({code}.md): {CODES[code]}\n" for code in codes)
        for digit, codes in groupby(sorted(CODES), key=lambda code: code[2])
    )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(text(), encoding="utf-8")
