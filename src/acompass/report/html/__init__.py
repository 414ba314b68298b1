"""A report as one self-contained HTML page, without scripts, external resources or records."""
