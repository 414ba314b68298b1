"""Rules that recognize wrong text and say what to write instead."""
