#!/bin/sh
# Asks a running project as a user would. COMPOSE is the compose command, for example: COMPOSE="docker compose".
set -eu
: "${COMPOSE:=docker compose}"
cli() { $COMPOSE run --rm -T cli "$@"; }

cli load facts deploy/sample/facts.csv
answer=$(cli ask '中国内地FY2024的REVENUE是多少' --locale zh)
echo "$answer"
expected='ACME_CN FY2024 REVENUE：1320 USD_M（来源：ACME_FY2024_Review.pptx · slide=2,table=1,row=REVENUE,col=FY2024）'
[ "$answer" = "$expected" ] || { echo 'not the expected answer' >&2; exit 1; }
if cli ask '中国内地FY2025的REVENUE是多少' --locale zh; then
    echo 'a number that is not loaded was answered' >&2
    exit 1
elif [ $? -ne 3 ]; then
    echo 'a refusal ends with 3' >&2
    exit 1
fi
echo 'smoke: passed'
