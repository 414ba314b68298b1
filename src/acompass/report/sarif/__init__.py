"""SARIF 2.1.0, which code hosts show at the lines of a policy."""
