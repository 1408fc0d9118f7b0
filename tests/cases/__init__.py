"""The cases that the product is judged by, and a runner that asks them black box: `python -m tests.cases.run`."""
