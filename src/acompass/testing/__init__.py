"""Test whether an engine conforms to `semantics`, and whether an installation works."""
