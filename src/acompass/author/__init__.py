"""What writes policies: from a table, from a matrix, in the paper's language, for a dbt project."""
