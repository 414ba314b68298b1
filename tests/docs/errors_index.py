"""Generate the page that lists all codes: `python -m tests.docs.errors_index`."""

from itertools import groupby

from acompass.diagnostics.codes import CODES
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "errors" / "index.md"

#: by the first digit of a code
GROUPS = {
    "0": "The text of a policy",
    "1": "The policy against a table's columns",
    "2": "Tables",
    "3": "Engines",
    "4": "The call",
    "5": "Lint: probably a mistake",
    "6": "Measuring",
    "7": "Explaining and reporting",
    "9": "A fault of acompass itself",
}

INTRODUCTION = """\
# Errors

Each code is stable and has a page that says what it means, why it is an error, and how to fix it, with an
example. A test runs the example and the fix. A message shows the code in brackets, `error[AC101]`, and the
place in the policy.
"""


def text() -> str:
    return INTRODUCTION + "".join(
        f"\n## {GROUPS[digit]}\n\n" + "".join(f"- [{code}]({code}.md): {CODES[code]}\n" for code in codes)
        for digit, codes in groupby(sorted(CODES), key=lambda code: code[2])
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
