"""The reference engine, which executes policies with `semantics`."""
