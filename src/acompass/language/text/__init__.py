"""The text of a policy, and the tree that it becomes."""
