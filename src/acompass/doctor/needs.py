"""The libraries that the installed package asks for, always or for an optional part."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires

#: such as `psycopg[binary]>=3.2; extra == 'postgres'`
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?P<bounds>[^;]*)(?:;.*\bextra\s*==\s*['\"](?P<part>[\w.-]+)['\"])?"
)
_LEAST = re.compile(r">=\s*(\d+(?:\.\d+)*)")
#: modules that have another name than their library
_MODULES = {"pyyaml": "yaml"}


@dataclass(frozen=True, slots=True)
class Need:
    """`part` is the optional part that needs the library, None if acompass always does. `least` is the oldest
    version that will do."""

    library: str
    least: str
    part: str | None

    @property
    def module(self) -> str:
        return _MODULES.get(self.library, self.library.replace("-", "_"))


def needs() -> tuple[Need, ...] | None:
    """None if the package was copied and not installed, so that nothing says what it needs."""
    try:
        return tuple(map(_need, requires("acompass") or ()))
    except PackageNotFoundError:
        return None


def parts_of(needed: Iterable[Need]) -> dict[str, list[Need]]:
    parts: dict[str, list[Need]] = {}
    for need in needed:
        if need.part is not None:
            parts.setdefault(need.part, []).append(need)
    return dict(sorted(parts.items()))


def is_older(version: str, least: str) -> bool:
    return _numbers(version) < _numbers(least)


def _numbers(version: str) -> list[int]:
    """The numbers before the first letter: of `4.0.0.dev1`, 4.0.0."""
    leading = re.match(r"[\d.]*", version)
    return [int(number) for number in leading.group().split(".") if number] if leading else []


def _need(text: str) -> Need:
    found = _REQUIREMENT.match(text)
    assert found is not None, "the build wrote the requirement"
    least = _LEAST.search(found["bounds"])
    return Need(found["name"], least[1] if least else "0", found["part"])
