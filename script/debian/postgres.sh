#!/bin/sh
# Of the official image's entrypoint what docker-compose.yml uses: the first start makes the cluster, and runs the
# scripts of /docker-entrypoint-initdb.d on it before anybody can connect from outside.
set -eu
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }

install -d -o postgres -g postgres -m 0700 "$PGDATA"
install -d -o postgres -g postgres -m 0775 /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    password=$(mktemp)
    printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
    chown postgres "$password"
    # shellcheck disable=SC2086 # the words are separate options
    as_postgres initdb --username="$POSTGRES_USER" --pwfile="$password" --auth-local=trust \
        --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
    rm "$password"
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    as_postgres pg_ctl --wait --options="-c listen_addresses=''" start
    as_postgres createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
    for script in /docker-entrypoint-initdb.d/*.sh; do
        as_postgres sh "$script"
    done
    as_postgres pg_ctl --wait stop
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"
