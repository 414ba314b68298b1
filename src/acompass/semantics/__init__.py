"""The executable definition of the language and of anonymity, to be read side by side with the paper."""
