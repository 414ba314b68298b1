"""Write policies from a table, from a transition matrix, in the paper's language, and for a dbt project."""
