"""Message contracts of RAGSpine: what the processes and their users say to each other.

Imports pydantic and the standard library only, with relative imports inside, so that the same files also ship as the
wheel `ragspine_contracts`; only `client`, which is for apps, can use more. The subject carries the major version;
inside one major, fields are only ever added, with defaults. See docs/contracts.md.
"""
