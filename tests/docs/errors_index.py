"""Generate the page that lists all codes: `python -m tests.docs.errors_index`."""

from itertools import groupby

from acompass.errors.catalogue import CODES
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
    "6": "Measuring, and searching for a policy",
    "7": "Explaining and reporting",
    "8": "The studio and editors",
    "9": "A fault of acompass itself",
}

INTRODUCTION = """\
# Errors

Every message has a stable code in brackets, `error[AC101]`, and shows the place in the policy. Each code
has a page: what it means, why it is an error, an example and its fix, both run by a test. `acompass explain
AC101` prints the page.

Many messages also carry fixes as data, in `--json`, in SARIF and in Python (`error.diagnostics[0].fixes`).
A fix is *safe* if it is the only possible reading of the text: `=` for `==`, a missing `;`, a misspelt
keyword, `A IN (1, 2)` for `A IN 1, 2`. `acompass lint --fix` and `acompass check --fix` apply the
safe fixes to the policy and go on with the result; `--diff` prints them as a diff and writes nothing. A fix
that someone has to choose, such as the closest name for an unknown column, is only offered.
"""


def text() -> str:
    return INTRODUCTION + "".join(
        f"\n## {GROUPS[digit]}\n\n" + "".join(f"- [{code}]({code}.md): {CODES[code]}\n" for code in codes)
        for digit, codes in groupby(sorted(CODES), key=lambda code: code[2])
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
