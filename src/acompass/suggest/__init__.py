"""Find the policy that reaches k and l with little loss: combinations from an engine, a search, a policy tree."""
