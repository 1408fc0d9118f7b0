"""The tests; see CONTRIBUTING.md for the kinds."""
