"""Answers as the HTML that a notebook displays. Only an explanation shows records."""
