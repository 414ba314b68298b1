"""Plain text, laid out the same way on a terminal, in a pipe and in a log."""
