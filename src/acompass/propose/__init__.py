"""Hierarchies from the values of a table's column, to edit by hand."""
