"""Certificates: the facts and rules that a proof rests on, for a checker whose soundness is proved (theory/)."""
