"""Search for a policy that reaches k and l with little loss. Requires numpy."""
