"""Tests of the gateway as a process, on a real server."""
