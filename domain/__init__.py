"""Shared vocabulary: what the words of a question mean. Pure functions and frozen data; no bus, no store, no clock."""
