"""Tests of the company profile."""
