"""Measurements that a person can repeat: `python -m bench parse`, `python -m bench load`. They prove no correctness."""
