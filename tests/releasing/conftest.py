"""The released packages, each built once."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.repo.sources import ROOT

#: ignore pip's configuration on this machine; nothing answers at this address
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


def minimal_environment(**added: str) -> dict[str, str]:
    """An environment without references to this checkout or pip's settings."""
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "SYSTEMROOT")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    return {**kept, "PATH": path, **added}


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """Run `python -m build`, which builds the sdist, and the wheel from the sdist."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    # the environment of the tests has hatchling, so no index is needed
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Packages(sdist, wheel)


@pytest.fixture(scope="session")
def wheelhouse(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip without the optional dependencies, which are large."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    script = [sys.executable, str(ROOT / "release" / "wheelhouse.py"), "--extras", "none"]
    subprocess.run([*script, "--wheel", str(packages.wheel), "--into", str(folder)], check=True)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture
def extracted_folder(wheelhouse: Path, tmp_path: Path) -> Path:
    """The extracted folder of the zip."""
    ZipFile(wheelhouse).extractall(tmp_path / "extracted")
    return tmp_path / "extracted" / wheelhouse.stem
