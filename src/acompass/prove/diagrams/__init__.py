"""Decision diagrams: sets of records, and of the values of columns and aggregates."""
