"""Takes the screenshots of the report in docs/images: `make screenshots`. Needs Chromium."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import acompass
from tests.repo.sources import ROOT
from tests.report.browser import CHROMIUM, screenshot

IMAGES = ROOT / "docs" / "images"
ADULT = ROOT / "examples" / "adult"
SIZE = (1200, 900)
FRONT = (1200, 1560)
SETTINGS = """\
[policy."policy.acp"]
purpose = "Study of working hours and education"
prepared-by = "Data protection office, Example City"
recipients = "Institute of Social Medicine"
valid-until = 2027-12-31
[table."adult.csv.gz"]
identifiers = ["fnlwgt"]
quasi-identifiers = ["age", "education", "marital-status", "race", "sex", "native-country"]
sensitive = ["occupation", "income"]
other = ["workclass", "relationship", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
"""


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if CHROMIUM is None:
        sys.exit("Chromium is needed; on Debian: apt install chromium")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder, "adult")
        shutil.copytree(ADULT, here)
        (here / "acompass.toml").write_text(SETTINGS, encoding="utf-8")
        page, output = here / "report.html", here / "released.csv"
        acompass.run(here / "policy.acp", here / "adult.csv.gz", params={"k": 5, "l": 2}, output=output, report=page)
        screenshot(page, IMAGES / "report-light.png", "light", FRONT)
        screenshot(_without(page, "front", "policy"), IMAGES / "report-dark.png", "dark", SIZE)
        screenshot(
            _without(page, "front", "policy", "classes", "risk", "quasi-identifiers", "sensitive", "loss"),
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
