"""What may be answered: the decision rules and the wording. Pure, total and deterministic; a library, not a process.

The orchestrator owns it at run time: only it turns a decision into an answer.
"""
