"""Collect acompass and its dependencies in a zip file, to install it without a network.

    python release/wheelhouse.py --extras frames,postgres --into build

The same wheels give the same bytes.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

ROOT = Path(__file__).parents[1]
README = Path(__file__).with_name("wheelhouse.md")
#: included only on request: pyspark is larger than everything else together
LARGE = {"spark"}
#: an example to try: a policy, a table and a trace
DEMO = Path("examples", "electricity")
#: the earliest date that a zip file can contain
DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Wheel:
    file: Path

    @property
    def name(self) -> str:
        return self.file.name.split("-")[0].replace("_", "-").lower()

    @property
    def version(self) -> str:
        return self.file.name.split("-")[1]


def main() -> None:
    arguments = _parse_arguments()
    extras = choose_extras(arguments.extras)
    with tempfile.TemporaryDirectory() as folder:
        wheels = collect_wheels(Path(folder, "wheels"), arguments.wheel, extras)
        content = Path(folder, "content")
        lay_out(content, wheels, extras)
        archive = write_zip(content, arguments.into, archive_name(wheels))
    print(f"{sha256(archive)}  {archive}")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Collect acompass and its dependencies in a zip file.")
    parser.add_argument(
        "--extras",
        default="",
        help=f"optional parts, separated by commas, or `all` or `none`; by default all but {', '.join(sorted(LARGE))}",
    )
    parser.add_argument("--into", type=Path, default=Path("build"), help="the folder for the zip")
    parser.add_argument("--wheel", type=Path, help="the wheel of acompass; built from this repository by default")
    return parser.parse_args()


def declared_extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


def choose_extras(text: str) -> list[str]:
    known = declared_extras()
    match text.strip():
        case "":
            return sorted(known - LARGE)
        case "all":
            return sorted(known)
        case "none":
            return []
        case names:
            wanted = {name.strip() for name in names.split(",")}
    if unknown := wanted - known:
        sys.exit(f"unknown extras: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}, all, none")
    return sorted(wanted)


def collect_wheels(folder: Path, wheel: Path | None, extras: Sequence[str]) -> list[Wheel]:
    """`pip wheel` downloads wheels, and builds those that exist only as source."""
    source = ROOT if wheel is None else wheel.resolve()
    requirement = f"{source}[{','.join(extras)}]" if extras else str(source)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", folder, requirement], check=True)
    return sorted(map(Wheel, folder.glob("*.whl")), key=lambda each: each.name)


def archive_name(wheels: Iterable[Wheel]) -> str:
    """Name the Python version, operating system and processor architecture that the wheels are for."""
    (version,) = {wheel.version for wheel in wheels if wheel.name == "acompass"}
    platform = sysconfig.get_platform().replace("-", "_")
    return f"acompass-{version}-wheelhouse-cp{sys.version_info.major}{sys.version_info.minor}-{platform}"


def lay_out(folder: Path, wheels: Sequence[Wheel], extras: Sequence[str]) -> None:
    """Write the files of the zip. SHA256SUMS lists all other files, to verify them after transfer."""
    (folder / "wheels").mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel.file, folder / "wheels")
    shutil.copytree(ROOT / DEMO, folder / DEMO)
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(README, folder / "README.md")
    (folder / "requirements.txt").write_text(requirements(wheels, extras), encoding="utf-8")
    sums = "".join(f"{sha256(folder / name)}  {name}\n" for name in _names(folder))
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")


def requirements(wheels: Iterable[Wheel], extras: Sequence[str]) -> str:
    """List every wheel with its hash. pip rejects others, and uses no index."""
    lines = ["--no-index", "--find-links wheels", "--require-hashes"]
    for wheel in wheels:
        parts = f"[{','.join(extras)}]" if wheel.name == "acompass" and extras else ""
        lines.append(f"{wheel.name}{parts}=={wheel.version} --hash=sha256:{sha256(wheel.file)}")
    return "".join(f"{line}\n" for line in lines)


def write_zip(content: Path, into: Path, name: str) -> Path:
    """Write the files in sorted order with a fixed date, atomically."""
    into.mkdir(parents=True, exist_ok=True)
    archive, partial = into / f"{name}.zip", into / f"{name}.zip.partial"
    try:
        with ZipFile(partial, "w", ZIP_STORED) as file:
            for each in _names(content):
                file.writestr(_entry(f"{name}/{each}"), (content / each).read_bytes())
        os.replace(partial, archive)
    finally:
        partial.unlink(missing_ok=True)
    return archive


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, DATE)
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    return entry


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    main()
