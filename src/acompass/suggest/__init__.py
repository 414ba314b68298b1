"""Find the policy that reaches k and l with little loss, and say it as a policy tree."""
