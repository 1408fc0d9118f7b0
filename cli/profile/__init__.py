"""`ragspine profile`: make, check and show the vocabulary from which questions are answered."""

from cli.profile.commands import app

__all__ = ["app"]
