"""Where engines differ, as a table: how each writes the few things SQL has no common word for."""
