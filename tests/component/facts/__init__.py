"""The facts worker's router on the in-memory bus."""
