"""Vetted answers: what stands in front of the orchestrator. A miss is always safe; a hit bypasses every guard."""
