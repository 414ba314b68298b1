"""Tests of one group run in one process, so that it starts Java, makes an environment or opens a browser
once.

pytest-xdist does this with `--dist loadgroup`, by adding the group to a test's name, which newer versions of
pytest do not allow. Here the workers write the groups to a file, and the controller reads it."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

_FILE = "acompass_groups"


class GroupScheduling(LoadScopeScheduling):
    """Sends the tests of a group to one process, and every other test to any."""

    def __init__(self, config: pytest.Config, log: Any, path: Path):
        super().__init__(config, log)
        self._path = path
        self._groups: dict[str, str] | None = None

    def _split_scope(self, nodeid: str) -> str:
        if self._groups is None:
            self._groups = json.loads(self._path.read_text(encoding="utf-8"))
        return self._groups.get(nodeid, nodeid)


class Grouping:
    """The plugin of the controller."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="acompass-groups-")
        self._path = Path(self._folder.name, "groups.json")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_FILE] = str(self._path)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> GroupScheduling | None:
        return GroupScheduling(config, log, self._path) if config.getoption("dist") == "loadgroup" else None

    def pytest_unconfigure(self) -> None:
        self._folder.cleanup()


def write_groups(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Report the groups of all tests to the controller, if this process is a worker."""
    path = getattr(config, "workerinput", {}).get(_FILE)
    if path is None:
        return
    groups = {item.nodeid: str(mark.args[0]) for item in items for mark in item.iter_markers("group")}
    whole = f"{path}.{os.getpid()}"
    Path(whole).write_text(json.dumps(groups), encoding="utf-8")
    os.replace(whole, path)
