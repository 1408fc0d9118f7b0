"""Hostile input, made from a seed: contracts, parsers, HTTP in process, and a running stack over sockets and NATS.

`python -m tests.fuzz` runs the full form (`make fuzz`); the modules named `test_*` run short forms of it.
"""
