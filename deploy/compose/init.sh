#!/bin/sh
# The one-shot `init` of docker-compose.yml: random secrets, made once, each readable by one service only.
# Every service mounts its own volume below /secrets, so none can see another's. Existing passwords are never changed;
# what is made of them is made again at each start, so that a new version needs no hand.
set -eu
umask 077

# 256 bits, as letters, digits, - and _
random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# write FILE OWNER MODE: standard input becomes FILE, unless it is there already
write() {
    if [ -s "$1" ]; then
        cat >/dev/null
        return 0
    fi
    replace "$1" "$2" "$3"
}

# replace FILE OWNER MODE: standard input becomes FILE, which may be there already
replace() {
    cat >"$1.new"
    [ -s "$1.new" ] || { echo "nothing to put into $1" >&2; exit 1; }
    own "$1.new" "$2" "$3"
    mv "$1.new" "$1"
}

# own FILE OWNER [MODE]
own() {
    chown "$2" "$1"
    chmod "${3:-0400}" "$1"
}

logins() { python3 -c 'from runtime.roles import LOGINS; print(*(login.name for login in LOGINS), sep="\n")'; }

acl() {
    python3 -c 'from pathlib import Path; from runtime.redis_rights import acl; print(acl(
        *(Path(p).read_text().strip() for p in ("/secrets/gateway/redis", "/secrets/redis/health"))), end="")'
}

worker=10001:10001
postgres=999:999
redis=999:999
nats=1000:1000

# The logins of Postgres, as runtime/roles.py has them; those that an earlier version made keep their passwords.
roles=/secrets/migrate/roles
[ ! -s /secrets/postgres/passwords ] || [ -s $roles ] || write $roles "$worker" 0400 </secrets/postgres/passwords
rm -f /secrets/postgres/passwords
{
    [ ! -s $roles ] || cat $roles
    logins | while read -r role; do
        grep -qs "^$role " $roles || printf '%s %s\n' "$role" "$(random)"
    done
} | replace $roles "$worker" 0400
random | write /secrets/postgres/superuser "$postgres" 0400
own /secrets/postgres/superuser "$postgres"
chown "$postgres" /data/postgres

# Before there were accounts, JetStream kept everything in $G, which is read no more. Events may stay behind, asks may not.
of_before='/data/nats/jetstream/$G/streams/RAGSPINE_ASKS/msgs'
if [ -d "$of_before" ] && [ -n "$(find "$of_before" -name '*.blk' -size +0c)" ]; then
    echo 'asks of a version before accounts are in the volume nats-data: docs/operations/upgrade.md says how they go on' >&2
    exit 1
fi

# The bus: passwords and apps that are there stay, the accounts are made again from this release's table.
python3 -m cli.bus.provide /secrets/nats
for user in gateway orchestrator intent facts narrative migrate; do
    replace "/secrets/$user/nats" "$worker" 0400 <"/secrets/nats/users/$user.password"
done
rm -f /secrets/nats/passwords /secrets/nats/users.conf # of releases before accounts
chown -R "$nats" /secrets/nats /data/nats

# pgpass lines: host:port:database:user:password
pgpass() { printf 'postgres:5432:ragspine:%s:%s\n' "$1" "$2"; }
while read -r role password; do
    case $role in
        ragspine_owner) home=/secrets/migrate ;;
        cli_load) home=/secrets/cli ;;
        narrative_*) home=/secrets/narrative ;;
        faq_keep) home=/secrets/gateway ;;
        facts_*) home=/secrets/facts ;;
        *) continue ;;
    esac
    pgpass "$role" "$password" | replace "$home/$role.pgpass" "$worker" 0400
done <$roles
pgpass postgres "$(cat /secrets/postgres/superuser)" | replace /secrets/migrate/postgres.pgpass "$worker" 0400

# The users of Redis, as runtime/redis_rights.py has them; an earlier version kept the password in its list only.
users=/secrets/redis/users.acl
[ -s /secrets/gateway/redis ] || {
    [ ! -s $users ] || sed -n 's/^user gateway on >\([^ ]*\) .*/\1/p' $users | tr -d '\n'
} >/secrets/gateway/redis
[ -s /secrets/gateway/redis ] || random | write /secrets/gateway/redis "$worker" 0400
own /secrets/gateway/redis "$worker"
random | write /secrets/redis/health "$redis" 0400
acl | replace $users "$redis" 0400

for user in gateway orchestrator intent facts narrative migrate cli; do
    chown "$worker" "/secrets/$user"
    chmod 0500 "/secrets/$user"
done
for store in postgres redis; do
    chmod 0500 "/secrets/$store"
done
chown "$postgres" /secrets/postgres
chown "$redis" /secrets/redis

# Keys of the HTTP door: written by the command line, read by the gateway. Where they are mounted has to be there.
mkdir -p /secrets/gateway/keys /secrets/cli/keys
chown "$worker" /keys /secrets/gateway/keys /secrets/cli/keys
chmod 0700 /keys
echo 'secrets are in place'
