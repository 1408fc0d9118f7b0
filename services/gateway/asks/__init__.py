"""Durable asks: accepted once, answered once, whatever dies in between. The ledger is the truth, the stream a queue."""
