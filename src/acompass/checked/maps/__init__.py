"""The maps of GENERALIZE (X2): functions of a value's text, each with the labels that it writes."""
