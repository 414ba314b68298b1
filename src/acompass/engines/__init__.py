"""Where policies run: connect, load, run, fetch. No semantics in here; one engine, one file."""
