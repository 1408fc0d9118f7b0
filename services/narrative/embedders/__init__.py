"""Models that turn texts into vectors. Each is optional; without one, words decide alone."""
