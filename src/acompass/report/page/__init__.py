"""The page of `--report`: a self-contained HTML file without scripts, external resources or records."""
