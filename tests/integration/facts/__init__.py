"""The facts worker on real servers."""
