#!/bin/sh
# Runs once, when PostgreSQL creates its cluster: creates the logins and roles of docs/postgresql-roles.md.
# `manage.py provision_roles` grants the rights of each role, after each migration.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set=migrate_password="$MIGRATE_PASSWORD" --set=app_password="$APP_PASSWORD" \
    --set=sealer_password="$SEALER_PASSWORD" <<'SQL'
CREATE ROLE pitside_owner NOLOGIN;
CREATE ROLE pitside_web NOLOGIN;
CREATE ROLE pitside_auditor NOLOGIN;
CREATE ROLE pitside_sealer NOLOGIN;
CREATE ROLE pitside_migrate LOGIN PASSWORD :'migrate_password' NOINHERIT IN ROLE pitside_owner;
ALTER ROLE pitside_migrate SET role = 'pitside_owner';
CREATE ROLE pitside_app LOGIN PASSWORD :'app_password' IN ROLE pitside_web;
CREATE ROLE pitside_seal LOGIN PASSWORD :'sealer_password' IN ROLE pitside_sealer;
ALTER DATABASE pitside OWNER TO pitside_owner;
ALTER SCHEMA public OWNER TO pitside_owner;
SQL
