"""Tests against real servers (marker `connected`)."""
