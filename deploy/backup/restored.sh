#!/bin/sh
# Restore the newest backup into FOLDER and run a throwaway PostgreSQL on it. Its `cluster_name` is the backup's label,
# and its `pitside.backup_began` when that backup began, in seconds since 1970: a label has the local time of its machine.
#
#   restored.sh FOLDER [MOMENT]     MOMENT such as '2026-11-28 02:00:00+00'; without it all that was archived
#
# As a user that may read the repository, and not as root. It never archives, and listens in FOLDER alone, to anybody
# who may enter that; with RESTORED_LISTEN also at that address, to the logins of the backup with their passwords.
set -eu
umask 077
folder=$1
moment=${2:-}
stanza=${PITSIDE_STANZA:-pitside}
data=$folder/data
if [ -e "$data" ]; then
    echo "$data exists: name a folder that is empty." >&2
    exit 1
fi
mkdir -p "$data" "$folder/spool" "$folder/lock"
# With a spool and locks of its own: a restore empties the spool, and would take that of the live database.
export PGBACKREST_SPOOL_PATH="$folder/spool" PGBACKREST_LOCK_PATH="$folder/lock"
set -- --stanza="$stanza" --pg1-path="$data" --archive-mode=off --log-level-console=info
if [ -n "$moment" ]; then
    set -- "$@" --type=time --target="$moment" --target-action=promote
fi
pgbackrest "$@" restore >"$folder/restore.log"
label=$(sed -n 's/.*restore backup set \([^ ,]*\).*/\1/p' "$folder/restore.log")
began=$(pgbackrest --stanza="$stanza" --set="$label" --output=json info |
    sed -n 's/.*"timestamp":{"start":\([0-9]*\),.*/\1/p')

# Debian keeps these files elsewhere; those of the live machine say nothing about a throwaway.
: >"$folder/postgresql.conf"
echo 'local all all trust' >"$folder/hba.conf"
if [ -n "${RESTORED_LISTEN:-}" ]; then
    echo 'host all all all scram-sha-256' >>"$folder/hba.conf"
fi
postgres=$(command -v postgres || echo "/usr/lib/postgresql/$(cat "$data/PG_VERSION")/bin/postgres")
exec "$postgres" -D "$data" -k "$folder" \
    -c config_file="$folder/postgresql.conf" -c hba_file="$folder/hba.conf" \
    -c listen_addresses="${RESTORED_LISTEN:-}" -c port=5432 -c cluster_name="$label" -c pitside.backup_began="$began" \
    -c archive_mode=off -c hot_standby=off -c synchronous_standby_names= -c shared_preload_libraries=
