"""Comments above a policy that was written by a command."""

import textwrap

#: the width of a line of a policy
WIDTH = 100


def remark_lines(paragraph: str) -> list[str]:
    """A paragraph as lines of comments."""
    lines = textwrap.wrap(paragraph, WIDTH - 3, break_long_words=False, break_on_hyphens=False)
    return [f"-- {line}" for line in lines]
