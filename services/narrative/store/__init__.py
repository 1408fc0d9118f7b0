"""Postgres, and the only place of this worker that speaks to it while it serves: reading and writing."""
