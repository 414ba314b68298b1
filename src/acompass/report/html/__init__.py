"""A report as one self-contained HTML page: no script, nothing from elsewhere, no record."""
