"""The terms of a rules submission stay as they were filed: both databases refuse to change them or to delete the row.

A draft may change. From its filing on only its status, decision and dates do, and it never becomes a draft again.
Triggers are rails, not evidence: what proves the terms is their entry on the record.
"""

from django.db import migrations

COLUMNS = ("facility_id", "code", "version", "game", "edition", "options", "terms", "terms_sha256")
CHANGED_ON_POSTGRES = " OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in COLUMNS)
CHANGED_ON_SQLITE = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in COLUMNS)

POSTGRES = f"""
CREATE FUNCTION games_terms_stay() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'terms stay as they were filed: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER games_terms_not_deleted BEFORE DELETE ON games_rulessubmission
    FOR EACH ROW WHEN (OLD.status <> 'draft') EXECUTE FUNCTION games_terms_stay();
CREATE TRIGGER games_terms_kept BEFORE TRUNCATE ON games_rulessubmission
    FOR EACH STATEMENT EXECUTE FUNCTION games_terms_stay();
CREATE TRIGGER games_terms_not_changed BEFORE UPDATE ON games_rulessubmission
    FOR EACH ROW WHEN (OLD.status <> 'draft' AND (NEW.status = 'draft' OR {CHANGED_ON_POSTGRES}))
    EXECUTE FUNCTION games_terms_stay();
ALTER TABLE games_rulessubmission ENABLE ALWAYS TRIGGER games_terms_not_deleted;
ALTER TABLE games_rulessubmission ENABLE ALWAYS TRIGGER games_terms_kept;
ALTER TABLE games_rulessubmission ENABLE ALWAYS TRIGGER games_terms_not_changed;
"""
POSTGRES_REVERSE = "DROP FUNCTION games_terms_stay() CASCADE"

# INSERT OR REPLACE deletes without asking a delete trigger unless recursive_triggers is on.
SQLITE = {
    "games_terms_not_deleted": "BEFORE DELETE ON games_rulessubmission WHEN OLD.status <> 'draft'",
    "games_terms_not_replaced": """BEFORE INSERT ON games_rulessubmission
        WHEN EXISTS (SELECT 1 FROM games_rulessubmission WHERE status <> 'draft' AND (id = NEW.id
                     OR (facility_id = NEW.facility_id AND code = NEW.code AND version = NEW.version)))""",
    "games_terms_not_changed": f"""BEFORE UPDATE ON games_rulessubmission
        WHEN OLD.status <> 'draft' AND (NEW.status = 'draft' OR {CHANGED_ON_SQLITE})""",
}
REFUSED = "terms stay as they were filed: this is refused"


def put_up(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, when in SQLITE.items():
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(POSTGRES)


def take_down(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in SQLITE:
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(POSTGRES_REVERSE)


class Migration(migrations.Migration):
    dependencies = [("games", "0005_jurisdictions_are_data")]
    operations = [migrations.RunPython(put_up, take_down)]
