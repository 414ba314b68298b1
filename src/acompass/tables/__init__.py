"""Files and data frames, read and written independently of any engine; an output is written whole or not at all."""
