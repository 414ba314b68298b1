"""The page of each code, in Markdown. It is part of the wheel; in a clone it is in docs/errors."""

import re
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
#: pyproject.toml copies the second into the wheel as the first
_FOLDERS = (_PACKAGE / "error_pages", _PACKAGE.parents[1] / "docs" / "errors")
_CODE = re.compile(r"AC[0-9]{3}", re.IGNORECASE)


def is_code(text: str) -> bool:
    """Whether a text has the form of a code. There may be no such code."""
    return _CODE.fullmatch(text) is not None


def read_page(code: str) -> str:
    return page_of(code).read_text(encoding="utf-8")


def page_of(code: str) -> Path:
    """The file of a page. It need not exist."""
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])
    return folder / f"{code}.md"


def how_to_see(code: str) -> str:
    """The command that prints the page of a code."""
    return f"acompass explain {code}"
