"""The policy with names resolved and types known; `from_syntax` is the arrow into it."""
