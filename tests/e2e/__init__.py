"""Whole stacks: every process started as users start it, questions in, answers out."""
