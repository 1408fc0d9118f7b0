"""The rules of the code base, and proof that each of them notices its own violation."""
