"""A plan run over an engine's session, stage by stage."""
