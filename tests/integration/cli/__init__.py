"""Commands against real servers."""
