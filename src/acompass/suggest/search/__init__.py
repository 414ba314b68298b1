"""The search for steps of little loss, with numpy only: no engine, no files, no text."""

from __future__ import annotations

from acompass.suggest.search.evaluate import evaluate
from acompass.suggest.search.find import Style, curve, search

__all__ = ["Style", "curve", "evaluate", "search"]
