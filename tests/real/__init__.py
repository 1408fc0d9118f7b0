"""Evaluation on real public data: not part of the test suite, run by hand (see docs/profile.md)."""
