"""The ledger of durable asks in Postgres."""
