"""Apache Spark: data frames, tables of its catalog, and files that every worker can reach."""
