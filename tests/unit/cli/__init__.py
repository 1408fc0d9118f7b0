"""The command line, without servers."""
