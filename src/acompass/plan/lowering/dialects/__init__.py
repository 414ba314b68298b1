"""The differences between engines as data: how each writes the few things that SQL has no common form for."""
