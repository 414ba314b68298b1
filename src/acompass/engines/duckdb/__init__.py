"""DuckDB: the embedded engine, which also reads and writes files for other engines."""
