"""The closed scope: every word of a question is a slot, harmless, or asked back by name."""
