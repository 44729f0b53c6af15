#!/bin/sh
# Back up the database with pgBackRest, as the user of PostgreSQL, on its machine: what changed since the last full
# backup, or all with `backup.sh full`. Run it each night, and full once a week (docs/operation.md#backups).
set -eu
stanza=${PITSIDE_STANZA:-pitside}
pgbackrest --stanza="$stanza" stanza-create # does nothing where it exists
pgbackrest --stanza="$stanza" check         # fails unless the log is archived
pgbackrest --stanza="$stanza" --type="${1:-diff}" backup
pgbackrest --stanza="$stanza" info
