"""Tests of the closed scope."""
