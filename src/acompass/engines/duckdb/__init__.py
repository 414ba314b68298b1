"""DuckDB, the embedded engine. It also reads and writes files for other engines."""
