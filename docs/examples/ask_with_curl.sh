#!/bin/sh
# Ask RAGSpine over HTTP: RAGSPINE_URL=http://127.0.0.1:8321 sh ask_with_curl.sh; RAGSPINE_API_KEY where keys are needed
curl --silent --show-error --fail-with-body --max-time 10 "$RAGSPINE_URL/v1/ask" \
  --header 'Content-Type: application/json' ${RAGSPINE_API_KEY:+--header "Authorization: Bearer $RAGSPINE_API_KEY"} \
  --header "Ragspine-Deadline: $((($(date +%s) + 10) * 1000))" \
  --data '{"question": "中国内地FY2024的REVENUE是多少", "locale": "zh", "request_id": "my-app-1"}'
