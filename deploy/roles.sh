#!/bin/sh
# Runs once, when PostgreSQL makes its cluster: the owner makes and changes tables, the web role only works in them.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set=owner_password="$OWNER_PASSWORD" --set=web_password="$WEB_PASSWORD" <<'SQL'
CREATE ROLE pitside_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE pitside_web LOGIN PASSWORD :'web_password';
ALTER DATABASE pitside OWNER TO pitside_owner;
ALTER SCHEMA public OWNER TO pitside_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO pitside_web;
SQL
