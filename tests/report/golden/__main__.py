"""Write the golden files: `python -m tests.report.golden --write [NAME…]`. Read the difference before committing it."""

import argparse
import tempfile
from pathlib import Path

from tests.report.golden.cases import CASES, FOLDER, golden_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="replace the golden files")
    parser.add_argument("names", nargs="*", help="default: all cases")
    names = parser.parse_args().names
    chosen = [case for case in CASES if not names or case.name in names]
    if not names:
        for path in {*FOLDER.glob("*.golden")} - {case.path for case in CASES}:
            path.unlink()
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            case.path.write_text(golden_text(case.sections(Path(folder))), encoding="utf-8")
    print(f"{len(chosen)} files written")


if __name__ == "__main__":
    main()
