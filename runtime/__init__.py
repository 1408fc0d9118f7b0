"""How every process of RAGSpine runs: bus, deadlines, errors, settings, telemetry, health. It knows no product noun."""
