"""The checked program: a policy with resolved names and known types."""
