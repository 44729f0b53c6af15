"""Entries and commands are written once, and heads move only forward: both databases refuse everything else.

- PostgreSQL: triggers that also fire for replication roles, and `audit_append`, the web role's only way to add an
  entry. It runs as its owner, locks the stream, recomputes the hash, writes the entry and moves the head.
- SQLite: triggers. `INSERT OR REPLACE` deletes without asking a delete trigger unless recursive_triggers is on, so a
  guard before each insert refuses an existing entry.

Triggers are a safeguard, not evidence: an owner can drop them. The hashes prove a change.
"""

from django.db import migrations

POSTGRES = r"""
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is written once: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entry_written_once BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_entry_kept BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_command_written_once BEFORE UPDATE OR DELETE ON audit_command
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_command_kept BEFORE TRUNCATE ON audit_command
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_stream_not_deleted BEFORE DELETE ON audit_stream
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_stream_kept BEFORE TRUNCATE ON audit_stream
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE FUNCTION audit_entry_must_follow() RETURNS trigger LANGUAGE plpgsql
    SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM @schema@.audit_stream s WHERE s.id = NEW.stream_id AND s.seq = NEW.seq - 1 AND s.head = NEW.prev
        AND s.closed_at IS NULL AND (s.last_at IS NULL OR s.last_at <= NEW.at);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an entry follows the head of its stream' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_must_follow();

CREATE FUNCTION audit_head_must_exist() RETURNS trigger LANGUAGE plpgsql
    SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM @schema@.audit_entry e
        WHERE e.stream_id = NEW.id AND e.seq = NEW.seq AND e.prev = OLD.head AND e.hash = NEW.head;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a head moves to an entry that is there' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_stream_moves BEFORE UPDATE ON audit_stream FOR EACH ROW
    WHEN (NEW.seq = OLD.seq + 1) EXECUTE FUNCTION audit_head_must_exist();
CREATE TRIGGER audit_stream_forward BEFORE UPDATE ON audit_stream FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.name <> OLD.name OR NEW.seq NOT IN (OLD.seq, OLD.seq + 1)
          OR (NEW.seq = OLD.seq AND (NEW.head <> OLD.head OR NEW.last_at IS DISTINCT FROM OLD.last_at))
          OR NEW.last_at < OLD.last_at OR (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at))
    EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_stream_genesis BEFORE INSERT ON audit_stream FOR EACH ROW
    WHEN (NEW.seq <> 0 OR NEW.last_at IS NOT NULL OR NEW.closed_at IS NOT NULL OR NEW.continued_by_id IS NOT NULL
          OR NEW.head <> sha256(convert_to(E'pitside/stream/v1\n' || NEW.name, 'UTF8')))
    EXECUTE FUNCTION audit_refuse();

ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_written_once;
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_kept;
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_follows;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_moves;
ALTER TABLE audit_command ENABLE ALWAYS TRIGGER audit_command_written_once;
ALTER TABLE audit_command ENABLE ALWAYS TRIGGER audit_command_kept;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_not_deleted;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_kept;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_forward;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_genesis;

CREATE FUNCTION audit_append(stream_id bigint, expected_seq bigint, body bytea, type text, at timestamptz,
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
    INSERT INTO @schema@.audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day)
        VALUES (stream.id, next_seq, stream.head, next_hash, audit_append.body, audit_append.type, audit_append.at,
                audit_append.gaming_day);
    UPDATE @schema@.audit_stream s SET seq = next_seq, head = next_hash, last_at = audit_append.at
        WHERE s.id = stream.id;
    RETURN QUERY SELECT next_seq, next_hash;
END $$;
REVOKE ALL ON FUNCTION audit_append(bigint, bigint, bytea, text, timestamptz, date) FROM PUBLIC;
"""

POSTGRES_REVERSE = """
DROP FUNCTION audit_append(bigint, bigint, bytea, text, timestamptz, date);
DROP FUNCTION audit_refuse() CASCADE;
DROP FUNCTION audit_entry_must_follow() CASCADE;
DROP FUNCTION audit_head_must_exist() CASCADE;
"""

SQLITE = {
    "audit_entry_not_updated": "BEFORE UPDATE ON audit_entry",
    "audit_entry_not_deleted": "BEFORE DELETE ON audit_entry",
    "audit_entry_not_replaced": """BEFORE INSERT ON audit_entry
        WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR (stream_id = NEW.stream_id AND seq = NEW.seq))""",
    "audit_entry_follows": """BEFORE INSERT ON audit_entry
        WHEN NOT EXISTS (SELECT 1 FROM audit_stream WHERE id = NEW.stream_id AND seq = NEW.seq - 1
                         AND head = NEW.prev AND closed_at IS NULL AND (last_at IS NULL OR last_at <= NEW.at))""",
    "audit_command_not_updated": "BEFORE UPDATE ON audit_command",
    "audit_command_not_deleted": "BEFORE DELETE ON audit_command",
    "audit_command_not_replaced": """BEFORE INSERT ON audit_command
        WHEN EXISTS (SELECT 1 FROM audit_command WHERE id = NEW.id)""",
    "audit_stream_not_deleted": "BEFORE DELETE ON audit_stream",
    "audit_stream_not_replaced": """BEFORE INSERT ON audit_stream
        WHEN EXISTS (SELECT 1 FROM audit_stream WHERE id = NEW.id OR name = NEW.name)
        OR NEW.seq <> 0 OR NEW.last_at IS NOT NULL OR NEW.closed_at IS NOT NULL OR NEW.continued_by_id IS NOT NULL""",
    "audit_stream_forward": """BEFORE UPDATE ON audit_stream
        WHEN NEW.id <> OLD.id OR NEW.name <> OLD.name OR NEW.seq NOT IN (OLD.seq, OLD.seq + 1)
        OR (NEW.seq = OLD.seq AND (NEW.head <> OLD.head OR NEW.last_at IS NOT OLD.last_at))
        OR (NEW.seq = OLD.seq + 1 AND NOT EXISTS (SELECT 1 FROM audit_entry WHERE stream_id = NEW.id
                                                   AND seq = NEW.seq AND prev = OLD.head AND hash = NEW.head))
        OR NEW.last_at < OLD.last_at
        OR (OLD.closed_at IS NOT NULL AND NEW.closed_at IS NOT OLD.closed_at)""",
}
REFUSED = "the record is written once: this is refused"


def put_up(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor == "sqlite":
        for name, when in SQLITE.items():
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        schema = cursor.fetchone()[0]
        cursor.execute(POSTGRES.replace("@schema@", schema))


def take_down(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in SQLITE:
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(POSTGRES_REVERSE)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_people_and_record")]
    operations = [migrations.RunPython(put_up, take_down)]
