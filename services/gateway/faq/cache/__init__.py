"""Redis, and the only place that speaks to it: what it holds is derived, bounded, and may be lost at any moment."""
