"""Describe each kind of answer as a document. Numbers are rounded here and not earlier."""
