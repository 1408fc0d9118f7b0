"""Plain helper modules of the tests; nothing is imported from a conftest."""
