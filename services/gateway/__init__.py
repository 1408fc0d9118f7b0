"""The edge: receives asks over HTTP and NATS, serves vetted answers, and sends everything else to the orchestrator.

It decides nothing about an answer and caches no fact, so what was loaded is visible to the next ask. It keeps the
vetted answers: Postgres has them, Redis a copy.
"""
