"""Rules of this code base that neither the types nor ruff can hold. Run all: `python -m scripts.lint_rules`.

A rule is a module with `NAME`, `applies_to(path)` and `check(tree)`; its docstring says why, what, and how to escape.
The escape is a comment with a reason on the reported line: `# allow-<rule>: why this one is right`.
"""
