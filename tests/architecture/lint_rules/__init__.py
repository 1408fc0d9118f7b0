"""Our own lint rules, each with code that it must notice and code that it must leave alone."""
