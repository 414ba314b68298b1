"""What MkDocs is told beyond mkdocs.yml: names of files above their blocks, and the colours of policies."""

import re
import sys
from pathlib import Path
from typing import Any

from pygments.lexers import LEXERS

_NAMED = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def on_startup(**_: Any) -> None:
    sys.path.append(str(Path(__file__).parent))
    LEXERS["AcompassLexer"] = ("acompass_lexer", "A-COMPASS", ("acompass",), ("*.acp",), ())


def on_page_markdown(markdown: str, **_: Any) -> str:
    return _NAMED.sub(r'```\1 title="\2"', markdown)
