"""Passages with lineage for questions of why and how. None can be loaded yet, and the worker says exactly that."""
