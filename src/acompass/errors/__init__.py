"""Errors: the catalogue of codes, diagnostics with fixes, and their text."""
