-- Durable asks whose answering ended with the process: who began an attempt and never said how it ended.

ALTER TABLE asks.ask ADD COLUMN unreported text[] NOT NULL DEFAULT '{}'; -- runs of gateways, each once
