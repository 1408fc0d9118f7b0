"""The workers. Every one has the same rooms: `__main__` (start), `app` (builds everything), `settings`, `handlers`.

Workers never import each other: they talk on the bus. `clarify` is a library, owned at run time by the orchestrator.
"""
