"""The search for steps of little loss, with numpy only: no engine, no files, no text."""

from __future__ import annotations

from acompass.suggest.search.closeness import closeness, is_close
from acompass.suggest.search.evaluate import evaluate
from acompass.suggest.search.find import Style, curve, search

__all__ = ["Style", "closeness", "curve", "evaluate", "is_close", "search"]
