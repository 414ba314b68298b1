"""The policy with resolved names and known types; `from_syntax` leads here."""
