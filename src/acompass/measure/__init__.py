"""Privacy models and risk measures of a table: one pass in the engine, then exact arithmetic."""
