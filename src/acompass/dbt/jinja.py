"""Text in files that dbt renders as Jinja templates."""

import re

_OPENING = re.compile(r"\{(?=[{%#])")


def literally(text: str) -> str:
    """A template that is rendered to the text, whatever a name or a constant in it looks like.

    Each brace that could open an expression, a statement or a comment becomes an expression of its own.
    """
    return _OPENING.sub("{{ '{' }}", text)
