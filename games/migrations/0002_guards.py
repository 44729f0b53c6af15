"""Filed documents and terms stay: both databases refuse to change them or to delete the row.

A document is never changed. A rules submission may change while it is a draft; from its filing on only its status,
decision and dates do, and it never becomes a draft again. Triggers are rails, not evidence: what proves a change is the
SHA-256 of a document, and the entry of the terms, on the record.
"""

from django.db import migrations

COLUMNS = (
    "facility_id", "code", "version", "game", "edition", "options", "terms", "terms_sha256", "lapsed_why",
)  # fmt: skip
CHANGED_ON_POSTGRES = " OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in COLUMNS)
CHANGED_ON_SQLITE = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in COLUMNS)
DOCUMENT_REFUSED = "a document stays as it was filed: this is refused"
TERMS_REFUSED = "terms stay as they were filed: this is refused"

POSTGRES = f"""
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
POSTGRES_REVERSE = "DROP FUNCTION games_document_stays() CASCADE; DROP FUNCTION games_terms_stay() CASCADE"

# INSERT OR REPLACE deletes without asking a delete trigger unless recursive_triggers is on.
SQLITE = {
    "games_document_not_deleted": ("BEFORE DELETE ON games_document", DOCUMENT_REFUSED),
    "games_document_not_replaced": (
        """BEFORE INSERT ON games_document
        WHEN EXISTS (SELECT 1 FROM games_document
                     WHERE id = NEW.id OR (facility_id = NEW.facility_id AND code = NEW.code))""",
        DOCUMENT_REFUSED,
    ),
    "games_document_not_changed": ("BEFORE UPDATE ON games_document", DOCUMENT_REFUSED),
    "games_terms_not_deleted": (
        "BEFORE DELETE ON games_rulessubmission WHEN OLD.status <> 'draft'",
        TERMS_REFUSED,
    ),
    "games_terms_not_replaced": (
        """BEFORE INSERT ON games_rulessubmission
        WHEN EXISTS (SELECT 1 FROM games_rulessubmission WHERE status <> 'draft' AND (id = NEW.id
                     OR (facility_id = NEW.facility_id AND code = NEW.code AND version = NEW.version)))""",
        TERMS_REFUSED,
    ),
    "games_terms_not_changed": (
        f"""BEFORE UPDATE ON games_rulessubmission
        WHEN OLD.status <> 'draft' AND (NEW.status = 'draft' OR {CHANGED_ON_SQLITE})""",
        TERMS_REFUSED,
    ),
}


def put_up(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, (when, refused) in SQLITE.items():
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{refused}'); END")
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
    dependencies = [("games", "0001_initial")]
    operations = [migrations.RunPython(put_up, take_down)]
