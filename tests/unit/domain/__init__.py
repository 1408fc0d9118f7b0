"""Tests of the shared vocabulary."""
