"""Tests of the period reader."""
