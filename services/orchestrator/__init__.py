"""The worker that owns clarification and the anti-fabrication guard: a question in, an answer with lineage out."""
