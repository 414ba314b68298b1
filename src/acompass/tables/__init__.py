"""Tables independent of any engine: files, data frames, CSV text, and their errors."""
