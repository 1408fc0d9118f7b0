"""Durable asks under random kills, and a naive worker under the same kills that must lose some.

`python -m tests.chaos` (`make chaos`) runs the full form; tests/e2e/test_chaos.py a short one.
"""
