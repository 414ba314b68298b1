"""Hierarchies of labels, in files as ARX's (X2): the model, the arrow into it, and its problems."""
