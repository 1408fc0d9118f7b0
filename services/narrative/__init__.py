"""Passages with lineage for questions of why and how: kept in Postgres, found by an index that follows it."""
