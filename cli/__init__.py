"""The `ragspine` command: asks, loads, inspects, and runs the embedded stack.

Talks to a stack over HTTP only; nothing here takes part in an answer.
"""
