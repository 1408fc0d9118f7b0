"""Tests of the gateway worker."""
