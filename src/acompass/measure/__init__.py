"""Privacy models, risk, loss and distributions of a table: one pass in the engine, then exact arithmetic."""
