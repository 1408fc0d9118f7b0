#!/bin/sh
# Asks a running project as a user would. COMPOSE is the compose command, for example: COMPOSE="docker compose".
set -eu
: "${COMPOSE:=docker compose}"
cli() { $COMPOSE run --rm -T --no-deps cli "$@"; }

$COMPOSE run --rm -T cli load facts deploy/sample/facts.csv # as everybody does; it looks after what it depends on
cli load passages deploy/sample/passages
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
reason=$(cli ask '中国内地2024年营收为什么增长' --locale zh)
echo "$reason"
case $reason in
    *china_2024.md*) ;;
    *) echo 'the reason is not cited' >&2; exit 1 ;;
esac

# A vetted answer: stored in Postgres, served from Redis.
cli faq add canteen --question '食堂在哪？' --answer '三楼。' --owner smoke --replace >/dev/null 2>&1 ||
    cli faq add canteen --question '食堂在哪？' --answer '三楼。' --owner smoke
cli faq approve canteen
# On a busy machine Redis may take longer than it is waited for: the question is asked without it then.
tries=1
until [ "$(cli ask '食堂在哪' --locale zh)" = '三楼。' ]; do
    [ $tries -lt 5 ] || { echo 'the vetted answer was not served' >&2; exit 1; }
    tries=$((tries + 1))
done

# A durable ask: accepted, kept, answered.
[ "$(cli ask '中国内地FY2024的REVENUE是多少' --locale zh --durable)" = "$expected" ] ||
    { echo 'the durable ask was not answered' >&2; exit 1; }

# Nobody gets in without a secret, out of an internal network, or writes where nothing is to be written.
case $($COMPOSE exec -T redis redis-cli ping 2>&1) in
    *NOAUTH*) ;;
    *) echo 'Redis answers to nobody in particular' >&2; exit 1 ;;
esac
for service in postgres redis gateway facts; do
    if $COMPOSE exec -T "$service" sh -c 'touch /probe || touch /etc/probe || touch /usr/probe' 2>/dev/null; then
        echo "$service writes to its own files" >&2
        exit 1
    fi
done
$COMPOSE exec -T facts python - <<'PY'
import asyncio, socket, sys
import asyncpg

try:
    socket.create_connection(("192.0.2.1", 443), 3)
except TimeoutError:
    sys.exit("the facts worker has a way out")
except OSError as error:
    print("no way out:", error.strerror)


async def read_closed_passages():
    dsn = "postgresql://facts_read@postgres/ragspine?passfile=/run/ragspine/facts_read.pgpass"
    connection = await asyncpg.connect(dsn)
    await connection.fetch("SELECT 1 FROM facts.fact LIMIT 1")
    for forbidden in ("SELECT 1 FROM narrative.passage", "SELECT 1 FROM faq.item", "DELETE FROM facts.fact"):
        try:
            await connection.execute(forbidden)
        except (asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError):
            continue
        sys.exit(f"facts_read may {forbidden}")


asyncio.run(read_closed_passages())
PY

# The question's trace: who asked whom, as Jaeger has it.
$COMPOSE exec -T gateway python - <<'PY'
import json, sys, time
from urllib.parse import quote
from urllib.request import urlopen

wanted = {("gateway", "orchestrator"), ("orchestrator", "intent"), ("orchestrator", "facts")}
url = "http://jaeger:16686/api/traces?limit=20&service=ragspine-gateway&operation=" + quote("POST /v1/ask")


def edges(trace):
    service = {s["spanID"]: trace["processes"][s["processID"]]["serviceName"] for s in trace["spans"]}
    calls = {(service.get(r["spanID"]), service[s["spanID"]]) for s in trace["spans"] for r in s["references"]}
    return {(a.removeprefix("ragspine-"), b.removeprefix("ragspine-")) for a, b in calls if a and a != b}


until, seen = time.monotonic() + 40, []
while wanted not in seen:
    if time.monotonic() > until:
        sys.exit(f"no trace with the edges {sorted(wanted)}; seen: {seen}")
    time.sleep(1)
    seen = [edges(trace) for trace in json.load(urlopen(url, timeout=10))["data"] or []]
print("trace:", *sorted(f"{a} > {b}" for a, b in wanted))
PY

if $COMPOSE ps --services --status running | grep -qx prometheus; then
    $COMPOSE exec -T gateway python - <<'PY'
import json, sys, time
from urllib.request import urlopen

workers = {"gateway", "orchestrator", "intent", "facts", "narrative"}
until, up = time.monotonic() + 60, set()
while up != workers:
    if time.monotonic() > until:
        sys.exit(f"Prometheus does not reach {sorted(workers - up)}")
    time.sleep(1)
    targets = json.load(urlopen("http://prometheus:9090/api/v1/targets", timeout=10))["data"]["activeTargets"]
    up = {target["labels"]["service"] for target in targets if target["health"] == "up"}
groups = json.load(urlopen("http://prometheus:9090/api/v1/rules", timeout=10))["data"]["groups"]
rules = [rule for group in groups for rule in group["rules"]]
if not rules or any(rule["health"] == "err" for rule in rules):
    sys.exit("an alert rule cannot be evaluated")
print("metrics:", *sorted(up), "-", len(rules), "alert rules")
PY
fi
echo 'smoke: passed'
