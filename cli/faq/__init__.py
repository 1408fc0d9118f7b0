"""`ragspine faq`: vetted answers, from the first draft to what should be vetted next."""

from cli.faq.commands import app

__all__ = ["app"]
