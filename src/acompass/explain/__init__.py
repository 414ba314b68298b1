"""Explains what a run does to a record, and shows a policy as relational algebra."""
