"""A plan's stages run over an engine's session."""
