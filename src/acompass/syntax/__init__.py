"""Text to tree and back: `parse.parse` and `format.format_program`."""
