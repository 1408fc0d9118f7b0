"""`ragspine keys`: who may call over HTTP."""

from cli.keys.commands import app

__all__ = ["app"]
