#!/bin/sh
# The one-shot `init` of docker-compose.yml: random secrets, made once, each readable by one service only.
# Every service mounts its own volume below /secrets, so none can see another's. Existing files are never changed.
set -eu
umask 077

random() { python3 -c 'import secrets; print(secrets.token_urlsafe(32), end="")'; }

# write FILE OWNER MODE: standard input becomes FILE, unless it is there already
write() {
    [ -s "$1" ] && return 0
    cat >"$1.new"
    chown "$2" "$1.new"
    chmod "$3" "$1.new"
    mv "$1.new" "$1"
}

worker=10001:10001
nats=1000:1000

[ -s /secrets/nats/passwords ] || {
    for user in gateway orchestrator intent facts narrative migrate; do
        printf '%s %s\n' "$user" "$(random)"
    done
} | write /secrets/nats/passwords 0:0 0400
[ -s /secrets/postgres/passwords ] || {
    for role in ragspine_owner facts_read facts_load cli_load; do
        printf '%s %s\n' "$role" "$(random)"
    done
} | write /secrets/postgres/passwords 0:0 0444
random | write /secrets/postgres/superuser 0:0 0444

{
    printf 'users = [\n'
    while read -r user password; do
        printf '  { user: %s, password: "%s" }\n' "$user" "$password"
    done </secrets/nats/passwords
    printf ']\n'
} | write /secrets/nats/users.conf "$nats" 0400
chown "$nats" /data/nats

while read -r user password; do
    printf '%s' "$password" | write "/secrets/$user/nats" "$worker" 0400
done </secrets/nats/passwords
chown "$nats" /secrets/nats

# pgpass lines: host:port:database:user:password
while read -r role password; do
    case $role in
        ragspine_owner) home=/secrets/migrate ;;
        cli_load) home=/secrets/cli ;;
        *) home=/secrets/facts ;;
    esac
    printf 'postgres:5432:ragspine:%s:%s\n' "$role" "$password" | write "$home/$role.pgpass" "$worker" 0400
done </secrets/postgres/passwords

for user in gateway orchestrator intent facts narrative migrate cli; do
    chown "$worker" "/secrets/$user"
    chmod 0500 "/secrets/$user"
done
chmod 0755 /secrets/postgres

password=$(random)
printf 'user default off\nuser gateway on >%s ~* &* +@all -@admin -@dangerous\nuser health on nopass -@all +ping\n' \
    "$password" | write /secrets/redis/users.acl 0:0 0444
chmod 0755 /secrets/redis
sed -n 's/^user gateway on >\([^ ]*\) .*/\1/p' /secrets/redis/users.acl | tr -d '\n' | write /secrets/gateway/redis "$worker" 0400
echo 'secrets are in place'
