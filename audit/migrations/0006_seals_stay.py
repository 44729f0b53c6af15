"""Make seals write-once too, and fill an entry's search columns from its body.

- On PostgreSQL `audit_append` fills them itself: a writer cannot give an entry search columns that differ from
  its body. Existing entries are filled here once, with the guard disabled for that statement. The functions that read a
  body set no search path, so that PostgreSQL can inline them.
- On SQLite, 0005 dropped the guards, because SQLite adds a column by copying the table. They are created again here.
"""

import importlib
import json

from django.db import migrations

from audit.record import search_columns

WRITTEN_ONCE = (
    "audit_incarnation", "audit_seal", "audit_sealedhead", "audit_node", "audit_checkpoint", "audit_cosignature",
)  # fmt: skip
KEY = "audit_signingkey"
KEY_COLUMNS = "id name key_id public_key created_at".split()  # noqa: SIM905

POSTGRES = r"""
CREATE FUNCTION audit_whole(data jsonb, key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(data -> key) = 'number' THEN (data ->> key)::bigint END
$$;
CREATE FUNCTION audit_cents(data jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(@schema@.audit_whole(data, 'wagered_cents'), @schema@.audit_whole(data, 'taken_cents'),
                    @schema@.audit_whole(data, 'paid_cents'), @schema@.audit_whole(data, 'returned_cents'))
$$;
CREATE FUNCTION audit_lot(data jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(data -> 'lot') = 'string' THEN left(data ->> 'lot', 40) ELSE '' END
$$;

ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_written_once;
UPDATE audit_entry e SET actor = coalesce(left(said ->> 'actor', 40), ''),
    witness = coalesce(left(said ->> 'witness', 40), ''),
    round = audit_whole(said -> 'data', 'round'), lot = audit_lot(said -> 'data'), cents = audit_cents(said -> 'data')
    FROM (SELECT id, convert_from(body, 'UTF8')::jsonb AS said FROM audit_entry) b WHERE b.id = e.id;
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_written_once;

CREATE OR REPLACE FUNCTION audit_append(stream_id bigint, expected_seq bigint, body bytea, type text, at timestamptz,
                                        gaming_day date) RETURNS TABLE (seq bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stream @schema@.audit_stream%ROWTYPE;
    said jsonb := convert_from(audit_append.body, 'UTF8')::jsonb;
    next_seq bigint := expected_seq + 1;
    next_hash bytea;
BEGIN
    SELECT * INTO stream FROM @schema@.audit_stream s WHERE s.id = audit_append.stream_id FOR UPDATE;
    IF NOT FOUND OR stream.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'stream % is closed or not there', stream_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF stream.seq <> expected_seq THEN
        RAISE EXCEPTION 'stream % is at %, not at %', stream.name, stream.seq, expected_seq
            USING ERRCODE = 'serialization_failure';
    END IF;
    IF audit_append.at < stream.last_at THEN
        RAISE EXCEPTION 'the clock of stream % went back', stream.name USING ERRCODE = 'restrict_violation';
    END IF;
    IF (said ->> 'stream', said ->> 'seq', said ->> '_type', said ->> 'gaming_day', (said ->> 'at')::timestamptz)
       IS DISTINCT FROM (stream.name::text, next_seq::text, audit_append.type, audit_append.gaming_day::text,
                         audit_append.at) THEN
        RAISE EXCEPTION 'the body says something else than its entry' USING ERRCODE = 'restrict_violation';
    END IF;
    next_hash := sha256(convert_to(E'pitside/entry/v1\n', 'UTF8') || stream.head || audit_append.body);
    INSERT INTO @schema@.audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day,
                                      actor, witness, round, lot, cents)
        VALUES (stream.id, next_seq, stream.head, next_hash, audit_append.body, audit_append.type, audit_append.at,
                audit_append.gaming_day, coalesce(left(said ->> 'actor', 40), ''),
                coalesce(left(said ->> 'witness', 40), ''), @schema@.audit_whole(said -> 'data', 'round'),
                @schema@.audit_lot(said -> 'data'), @schema@.audit_cents(said -> 'data'));
    UPDATE @schema@.audit_stream s SET seq = next_seq, head = next_hash, last_at = audit_append.at
        WHERE s.id = stream.id;
    RETURN QUERY SELECT next_seq, next_hash;
END $$;
"""

REFUSED = "the record is written once: this is refused"


def put_up(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        _in_sqlite(apps, schema_editor)
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        cursor.execute(POSTGRES.replace("@schema@", cursor.fetchone()[0]))
        for table in WRITTEN_ONCE:
            cursor.execute(_guard(table, "BEFORE UPDATE OR DELETE", "written_once", "ROW"))
            cursor.execute(_guard(table, "BEFORE TRUNCATE", "kept", "STATEMENT"))
        changed = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in KEY_COLUMNS)
        changed += " OR OLD.retired_at IS NOT NULL"
        cursor.execute(_guard(KEY, "BEFORE DELETE", "not_deleted", "ROW"))
        cursor.execute(_guard(KEY, "BEFORE TRUNCATE", "kept", "STATEMENT"))
        cursor.execute(_guard(KEY, "BEFORE UPDATE", "only_retired", "ROW", f"WHEN ({changed})"))


def _guard(table, when, name, each, condition=""):
    return f"""CREATE TRIGGER {table}_{name} {when} ON {table} FOR EACH {each} {condition}
        EXECUTE FUNCTION audit_refuse();
        ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_{name}"""


def _in_sqlite(apps, schema_editor):
    guards = dict(importlib.import_module("audit.migrations.0002_refuse_rewriting").SQLITE)
    Entry = apps.get_model("audit", "Entry")
    for entry in Entry.objects.iterator(chunk_size=500):
        said = json.loads(bytes(entry.body))
        entry.actor, entry.witness = said["actor"] or "", said["witness"] or ""
        entry.round, entry.lot, entry.cents = search_columns(said["data"])
        entry.save(update_fields=["actor", "witness", "round", "lot", "cents"])
    for table in WRITTEN_ONCE:
        guards[f"{table}_not_updated"] = f"BEFORE UPDATE ON {table}"
        guards[f"{table}_not_deleted"] = f"BEFORE DELETE ON {table}"
        key = "number" if table == "audit_incarnation" else "id"
        guards[f"{table}_not_replaced"] = (
            f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"
        )
    changed = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in KEY_COLUMNS)
    guards[f"{KEY}_not_deleted"] = f"BEFORE DELETE ON {KEY}"
    guards[f"{KEY}_only_retired"] = f"BEFORE UPDATE ON {KEY} WHEN {changed} OR OLD.retired_at IS NOT NULL"
    guards |= {f"{table}_once": when for table, when in _ONCE.items()}
    for name, when in guards.items():
        schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")


# INSERT OR REPLACE would otherwise delete what a unique constraint finds.
_ONCE = {
    "audit_seal": """BEFORE INSERT ON audit_seal WHEN EXISTS (SELECT 1 FROM audit_seal
        WHERE incarnation_id = NEW.incarnation_id AND number = NEW.number)""",
    "audit_sealedhead": """BEFORE INSERT ON audit_sealedhead WHEN EXISTS (SELECT 1 FROM audit_sealedhead
        WHERE seal_id = NEW.seal_id AND stream_id = NEW.stream_id)""",
    "audit_node": """BEFORE INSERT ON audit_node WHEN EXISTS (SELECT 1 FROM audit_node
        WHERE incarnation_id = NEW.incarnation_id AND level = NEW.level AND "index" = NEW."index")""",
    "audit_checkpoint": """BEFORE INSERT ON audit_checkpoint WHEN EXISTS (SELECT 1 FROM audit_checkpoint
        WHERE incarnation_id = NEW.incarnation_id AND size = NEW.size)""",
    "audit_cosignature": """BEFORE INSERT ON audit_cosignature WHEN EXISTS (SELECT 1 FROM audit_cosignature
        WHERE checkpoint_id = NEW.checkpoint_id AND name = NEW.name)""",
    "audit_incarnation": """BEFORE INSERT ON audit_incarnation WHEN EXISTS (SELECT 1 FROM audit_incarnation
        WHERE origin = NEW.origin)""",
    "audit_signingkey": """BEFORE INSERT ON audit_signingkey WHEN EXISTS (SELECT 1 FROM audit_signingkey
        WHERE id = NEW.id OR (name = NEW.name AND key_id = NEW.key_id))""",
}  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("audit", "0005_seals_and_desk")]
    operations = [migrations.RunPython(put_up)]
