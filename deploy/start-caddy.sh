#!/bin/sh
# Starts Caddy with its Caddyfile. Refuses a Caddy that does not know `stream_timeout` and `stream_close_delay` (2.7).
set -eu
version=$(caddy version)
number=${version#v}
major=${number%%.*}
rest=${number#*.}
minor=${rest%%.*}
if [ "$major" -lt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -lt 7 ]; }; then
    echo "Caddy ${version%% *} is too old for deploy/Caddyfile. Use 2.7 or newer: set CADDY_IMAGE." >&2
    exit 1
fi
exec caddy run --config /etc/caddy/Caddyfile --adapter caddyfile
