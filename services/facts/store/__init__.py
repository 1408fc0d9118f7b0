"""Postgres, and the only place of this worker that speaks to it while it serves: reading, writing, the outbox.

Every use is bounded in time on this side of the wire, because a frozen server enforces no limit of its own. Whatever
keeps the facts from being read becomes `FactSourceUnavailableError`: absence is only ever stated by Postgres itself.
"""
