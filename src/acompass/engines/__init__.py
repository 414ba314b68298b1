"""The engines that run plans, one folder each. They contain no semantics."""
