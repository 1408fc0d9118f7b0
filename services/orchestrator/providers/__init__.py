"""Model providers, one file each; `RAGSPINE_LLM` chooses."""
