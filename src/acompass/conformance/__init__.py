"""Does an engine give every program the meaning of `semantics`? Random cases, and the comparison."""
