"""The search for a policy that reaches k and l with little loss. It needs numpy."""
