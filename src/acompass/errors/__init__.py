"""Errors: the catalog of codes, diagnostics with fixes, and their text."""
