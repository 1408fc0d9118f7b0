"""Tests of the narrative worker."""
