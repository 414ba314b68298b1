"""Objects for `--json`; scripts rely on their keys."""
