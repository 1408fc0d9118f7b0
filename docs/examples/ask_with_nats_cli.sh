#!/bin/sh
# Ask RAGSpine over the bus: NATS_URL=nats://127.0.0.1:4222 sh ask_with_nats_cli.sh
nats request --server "$NATS_URL" --timeout 10s --raw \
  --header "Ragspine-Deadline:$((($(date +%s) + 10) * 1000))" \
  ragspine.v1.ask.local \
  '{"question": "中国内地FY2024的REVENUE是多少", "locale": "zh", "request_id": "my-app-1"}'
