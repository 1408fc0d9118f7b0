"""The clients for apps."""
