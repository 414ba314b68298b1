"""The oracle behind the same call: `semantics` gives the meaning."""
