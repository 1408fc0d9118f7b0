"""The programs that the documents show, run as they are."""
