"""The intent worker: a question becomes slots, by rules only; no model, no store, no clock but the reference date."""
