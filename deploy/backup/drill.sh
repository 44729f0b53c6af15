#!/bin/sh
# Drill a restore: the newest backup into a throwaway PostgreSQL, verified and compared, and the result on the record
# (audit/drill.py). As the user of PostgreSQL, each week:
#
#   DATABASE_URL=<the owner's live database> PITSIDE_WITNESSES=<as the sealer has it> deploy/backup/drill.sh
#
# Exit status: 0 passed, 1 failed, 2 could not run. Arguments go to `manage.py restore_drill`.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/pitside-drill.XXXXXX") || exit 2
"$here/restored.sh" "$folder" 2>"$folder/restored.err" &
server=$!
end() {
    kill -INT "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 2' INT TERM
until [ -S "$folder/.s.PGSQL.5432" ] || ! kill -0 "$server" 2>/dev/null; do
    sleep 1
done
restored="postgres://${RESTORED_LOGIN:-pitside_migrate}@/${RESTORED_DATABASE:-pitside}?host=$folder"
kill -0 "$server" 2>/dev/null || restored=
"${PYTHON:-python}" "$here/../../manage.py" restore_drill --restored "$restored" "$@"
status=$?
if [ "$status" -eq 2 ]; then
    cat "$folder/restored.err" "$folder/restore.log" >&2
fi
exit "$status"
