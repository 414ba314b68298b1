"""Certificates: the facts and rules that a proof rests on, for a checker that is proved sound (theory/)."""
