"""A document stays as it was filed: both databases refuse to change it or to delete it.

Triggers are rails, not evidence: what proves a change is the SHA-256 in the record.
"""

from django.db import migrations

POSTGRES = """
CREATE FUNCTION games_document_stays() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a document stays as it was filed: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER games_document_not_deleted BEFORE DELETE ON games_document
    FOR EACH ROW EXECUTE FUNCTION games_document_stays();
CREATE TRIGGER games_document_kept BEFORE TRUNCATE ON games_document
    FOR EACH STATEMENT EXECUTE FUNCTION games_document_stays();
CREATE TRIGGER games_document_not_changed BEFORE UPDATE ON games_document
    FOR EACH ROW EXECUTE FUNCTION games_document_stays();
ALTER TABLE games_document ENABLE ALWAYS TRIGGER games_document_not_deleted;
ALTER TABLE games_document ENABLE ALWAYS TRIGGER games_document_kept;
ALTER TABLE games_document ENABLE ALWAYS TRIGGER games_document_not_changed;
"""
POSTGRES_REVERSE = "DROP FUNCTION games_document_stays() CASCADE"

# INSERT OR REPLACE deletes without asking a delete trigger unless recursive_triggers is on.
SQLITE = {
    "games_document_not_deleted": "BEFORE DELETE ON games_document",
    "games_document_not_replaced": """BEFORE INSERT ON games_document
        WHEN EXISTS (SELECT 1 FROM games_document
                     WHERE id = NEW.id OR (facility_id = NEW.facility_id AND code = NEW.code))""",
    "games_document_not_changed": "BEFORE UPDATE ON games_document",
}
REFUSED = "a document stays as it was filed: this is refused"


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
    dependencies = [("games", "0002_rules_office")]
    operations = [migrations.RunPython(put_up, take_down)]
