"""Takes the screenshots of the report in docs/images: `make screenshots`. Needs Chromium."""

import argparse
import sys
import tempfile
from pathlib import Path

import acompass
from tests.repo.sources import ROOT
from tests.report.browser import CHROMIUM, screenshot

IMAGES = ROOT / "docs" / "images"
ADULT = ROOT / "examples" / "adult"
SIZE = (1200, 900)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if CHROMIUM is None:
        sys.exit("Chromium is needed; on Debian: apt install chromium")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        policy = acompass.load(ADULT / "policy.acp")
        output = Path(folder, "released.csv")
        acompass.run(policy, ADULT / "adult.csv.gz", params={"k": 5, "l": 2}, output=output, report=page)
        screenshot(page, IMAGES / "report-light.png", "light", SIZE)
        screenshot(_without(page, "policy"), IMAGES / "report-dark.png", "dark", SIZE)
        screenshot(
            _without(page, "policy", "classes", "risk", "quasi-identifiers", "sensitive", "loss"),
            IMAGES / "report-columns.png",
            "light",
            SIZE,
        )


def _without(page: Path, *sections: str) -> Path:
    """A copy with the first sections hidden, for a screenshot of a later one."""
    hidden = "".join(f'section[aria-labelledby="{name}"] {{ display: none }}' for name in sections)
    copy = page.with_name("-".join(("without", *sections)) + ".html")
    copy.write_text(page.read_text(encoding="utf-8").replace("</style>", f"{hidden}</style>"), encoding="utf-8")
    return copy


if __name__ == "__main__":
    main()
