"""Model providers, one file each; `RAGSPINE_LLM` chooses, `gate.py` stands before all of them."""
