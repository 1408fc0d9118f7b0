"""Tools of this repository: they read or write its files and are never imported by the product."""
