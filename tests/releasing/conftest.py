"""The packages as they are released, each built once."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.repo.sources import ROOT

#: pip's configuration of this machine must not help, and nothing answers at this address
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "https_proxy": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
}


@dataclass(frozen=True)
class Packages:
    sdist: Path
    wheel: Path


def clean(**added: str) -> dict[str, str]:
    """An environment in which neither this checkout nor pip's settings are known."""
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "SYSTEMROOT")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    return {**kept, "PATH": path, **added}


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """`python -m build`: the sdist, and from the sdist the wheel."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    # hatchling is in the environment of the tests, so no index is needed
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Packages(sdist, wheel)


@pytest.fixture(scope="session")
def wheelhouse(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip without optional parts, which are large."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    script = [sys.executable, str(ROOT / "release" / "wheelhouse.py"), "--extras", "none"]
    subprocess.run([*script, "--wheel", str(packages.wheel), "--into", str(folder)], check=True)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture
def carried(wheelhouse: Path, tmp_path: Path) -> Path:
    """The folder in the zip, extracted elsewhere."""
    ZipFile(wheelhouse).extractall(tmp_path / "carried")
    return tmp_path / "carried" / wheelhouse.stem
