"""Report pages: gather the data for `--report`, have `report` render it, write it and verify it later."""
