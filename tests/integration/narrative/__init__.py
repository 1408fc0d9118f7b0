"""Tests of the narrative worker as a process."""
