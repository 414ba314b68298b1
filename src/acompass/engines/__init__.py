"""The engines that run plans: DuckDB, PostgreSQL, Spark and the reference. They contain no semantics."""
