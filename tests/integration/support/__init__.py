"""The test servers themselves."""
