"""Both databases refuse to rewrite the record and its seals, and PostgreSQL writes entries by a function alone.

- Entries, commands and the rows of seals are written once; heads move only forward; a key is only retired. The answer
  of a command may end, a day of the record later or more: not that of a refusal, and nothing else of its row.
- PostgreSQL: triggers that also fire for replication roles. `audit_write` locks the stream, refuses an entry that says
  something else than its columns, that is of the future, or whose people are not on file, recomputes the hash, writes
  the entry with the columns by which it is found, and moves the head. Nobody may call it: `audit_append` does so for
  the web role, on every stream but the installation's, and `audit_append_system` for the sealer's, on
  `installation/system` alone. The functions that read a body set no search path, so that PostgreSQL can inline them.
- SQLite: triggers. `INSERT OR REPLACE` deletes without asking a delete trigger unless recursive_triggers is on, so a
  guard before each insert refuses what is there. It has no roles; `audit.record` bounds the time. A later migration
  that adds a column to a guarded table must not let Django copy the table, which would lose its guards.

Triggers are a safeguard, not evidence: an owner can drop them. The hashes prove a change.
"""

from django.db import migrations

SIGNATURE = "bigint, bigint, bytea, text, timestamptz, date"
ARGUMENTS = "stream_id bigint, expected_seq bigint, body bytea, type text, at timestamptz, gaming_day date"

POSTGRES = r"""
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is written once: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entry_written_once BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_entry_kept BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE FUNCTION audit_answer_may_end() RETURNS trigger LANGUAGE plpgsql
    SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM @schema@.audit_stream s WHERE s.last_at > OLD.at + interval '1 day'
        AND NEW.answer IS NULL AND NOT OLD.answer ?| ARRAY['ended', 'refusal']
        AND (NEW.id, NEW.seq, NEW.at, NEW.stream_id, NEW.person_id, NEW.device_id, NEW.content_sha256)
            IS NOT DISTINCT FROM
            (OLD.id, OLD.seq, OLD.at, OLD.stream_id, OLD.person_id, OLD.device_id, OLD.content_sha256);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a command is written once, and only an old answer ends' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER audit_command_written_once BEFORE UPDATE ON audit_command
    FOR EACH ROW EXECUTE FUNCTION audit_answer_may_end();
CREATE TRIGGER audit_command_not_deleted BEFORE DELETE ON audit_command
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_command_kept BEFORE TRUNCATE ON audit_command
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
-- Each answer ends once: with the fifth of a table that PostgreSQL waits for, years of ended ones would stay.
ALTER TABLE audit_command SET (autovacuum_vacuum_scale_factor = 0.02);
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
ALTER TABLE audit_command ENABLE ALWAYS TRIGGER audit_command_not_deleted;
ALTER TABLE audit_command ENABLE ALWAYS TRIGGER audit_command_kept;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_not_deleted;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_kept;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_forward;
ALTER TABLE audit_stream ENABLE ALWAYS TRIGGER audit_stream_genesis;

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

CREATE FUNCTION audit_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;

-- Another value once anything changes by which a person may act with a session at a device; NULL if nothing is there.
-- What a device says of itself all the time is left out. STABLE: it sees what the statement sees that asks it, so that
-- nobody remembers rows of before a change with the value of after it.
CREATE FUNCTION audit_sender(device uuid, person bigint, session text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = @schema@, pg_catalog, pg_temp AS $$
DECLARE
    of_device text;
    of_person text;
    of_session text;
BEGIN
    SELECT md5((to_jsonb(d) - ARRAY['heard_at', 'last_seen_at', 'battery_percent', 'is_charging'])::text)
        INTO of_device FROM @schema@.audit_device d WHERE d.id = device AND d.revoked_at IS NULL;
    SELECT p.xmin::text || p.ctid::text INTO of_person FROM @schema@.audit_person p WHERE p.id = person;
    SELECT s.xmin::text || s.ctid::text INTO of_session FROM @schema@.django_session s
        WHERE s.session_key = session AND s.expire_date > clock_timestamp();
    RETURN of_device || ' ' || of_person || ' ' || of_session;
END $$;

CREATE FUNCTION audit_write(@arguments@) RETURNS TABLE (seq bigint, hash bytea)
LANGUAGE plpgsql SET search_path = @schema@, pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    stream @schema@.audit_stream%ROWTYPE;
    said jsonb := convert_from(audit_write.body, 'UTF8')::jsonb;
    next_seq bigint := expected_seq + 1;
    next_hash bytea;
BEGIN
    SELECT * INTO stream FROM @schema@.audit_stream s WHERE s.id = audit_write.stream_id FOR UPDATE;
    IF NOT FOUND OR stream.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'stream % is closed or not there', stream_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF stream.seq <> expected_seq THEN
        RAISE EXCEPTION 'stream % is at %, not at %', stream.name, stream.seq, expected_seq
            USING ERRCODE = 'serialization_failure';
    END IF;
    IF audit_write.at < stream.last_at THEN
        RAISE EXCEPTION 'the clock of stream % went back', stream.name USING ERRCODE = 'restrict_violation';
    END IF;
    IF audit_write.at > @schema@.audit_now() + interval '2 seconds' THEN
        RAISE EXCEPTION 'an entry of stream % is of the future', stream.name
            USING ERRCODE = 'datetime_field_overflow';
    END IF;
    IF (said ->> 'stream', said ->> 'seq', said ->> '_type', said ->> 'gaming_day', (said ->> 'at')::timestamptz)
       IS DISTINCT FROM (stream.name::text, next_seq::text, audit_write.type, audit_write.gaming_day::text,
                         audit_write.at) THEN
        RAISE EXCEPTION 'the body says something else than its entry' USING ERRCODE = 'restrict_violation';
    END IF;
    IF said ->> 'actor' = said ->> 'witness' OR EXISTS (
        SELECT 1 FROM unnest(ARRAY[said ->> 'actor', said ->> 'witness']) AS who(code) WHERE who.code IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM @schema@.audit_person p WHERE p.code = who.code)) THEN
        RAISE EXCEPTION 'actor and witness are two people on file' USING ERRCODE = 'restrict_violation';
    END IF;
    next_hash := sha256(convert_to(E'pitside/entry/v1\n', 'UTF8') || stream.head || audit_write.body);
    INSERT INTO @schema@.audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day,
                                      actor, witness, round, lot, cents)
        VALUES (stream.id, next_seq, stream.head, next_hash, audit_write.body, audit_write.type, audit_write.at,
                audit_write.gaming_day, coalesce(left(said ->> 'actor', 40), ''),
                coalesce(left(said ->> 'witness', 40), ''), @schema@.audit_whole(said -> 'data', 'round'),
                @schema@.audit_lot(said -> 'data'), @schema@.audit_cents(said -> 'data'));
    UPDATE @schema@.audit_stream s SET seq = next_seq, head = next_hash, last_at = audit_write.at
        WHERE s.id = stream.id;
    RETURN QUERY SELECT next_seq, next_hash;
END $$;

CREATE FUNCTION audit_append(@arguments@) RETURNS TABLE (seq bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM @schema@.audit_stream s
               WHERE s.id = audit_append.stream_id AND s.name LIKE 'installation/%') THEN
        RAISE EXCEPTION 'the streams of the installation are the sealer''s' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN QUERY SELECT * FROM @schema@.audit_write(stream_id, expected_seq, body, type, at, gaming_day);
END $$;

CREATE FUNCTION audit_append_system(@arguments@) RETURNS TABLE (seq bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM @schema@.audit_stream s
                   WHERE s.id = audit_append_system.stream_id AND s.name = 'installation/system') THEN
        RAISE EXCEPTION 'only installation/system is written here' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN QUERY SELECT * FROM @schema@.audit_write(stream_id, expected_seq, body, type, at, gaming_day);
END $$;

REVOKE ALL ON FUNCTION audit_now() FROM PUBLIC;
REVOKE ALL ON FUNCTION audit_sender(uuid, bigint, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION audit_write(@signature@) FROM PUBLIC;
REVOKE ALL ON FUNCTION audit_append(@signature@) FROM PUBLIC;
REVOKE ALL ON FUNCTION audit_append_system(@signature@) FROM PUBLIC;
"""

POSTGRES_REVERSE = """
DROP FUNCTION audit_append_system(@signature@);
DROP FUNCTION audit_append(@signature@);
DROP FUNCTION audit_write(@signature@);
DROP FUNCTION audit_sender(uuid, bigint, text);
DROP FUNCTION audit_now();
DROP FUNCTION audit_cents(jsonb);
DROP FUNCTION audit_whole(jsonb, text);
DROP FUNCTION audit_lot(jsonb);
DROP FUNCTION audit_entry_must_follow() CASCADE;
DROP FUNCTION audit_head_must_exist() CASCADE;
DROP FUNCTION audit_answer_may_end() CASCADE;
DROP FUNCTION audit_refuse() CASCADE;
"""

SQLITE = {
    "audit_entry_not_updated": "BEFORE UPDATE ON audit_entry",
    "audit_entry_not_deleted": "BEFORE DELETE ON audit_entry",
    "audit_entry_not_replaced": """BEFORE INSERT ON audit_entry
        WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR (stream_id = NEW.stream_id AND seq = NEW.seq))""",
    "audit_entry_follows": """BEFORE INSERT ON audit_entry
        WHEN NOT EXISTS (SELECT 1 FROM audit_stream WHERE id = NEW.stream_id AND seq = NEW.seq - 1
                         AND head = NEW.prev AND closed_at IS NULL AND (last_at IS NULL OR last_at <= NEW.at))""",
    "audit_command_not_updated": """BEFORE UPDATE ON audit_command
        WHEN NEW.answer IS NOT NULL OR OLD.answer IS NULL
        OR json_type(OLD.answer, '$.ended') IS NOT NULL OR json_type(OLD.answer, '$.refusal') IS NOT NULL
        OR NEW.id <> OLD.id OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.stream_id <> OLD.stream_id
        OR NEW.person_id IS NOT OLD.person_id OR NEW.device_id IS NOT OLD.device_id
        OR NEW.content_sha256 <> OLD.content_sha256
        OR NOT EXISTS (SELECT 1 FROM audit_stream WHERE julianday(last_at) > julianday(OLD.at) + 1)""",
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
# The tables that are written once, with the columns that are unique in each. INSERT OR REPLACE would delete what a
# unique constraint finds.
WRITTEN_ONCE = {
    "audit_incarnation": ("origin",),
    "audit_seal": ("incarnation_id", "facility", "number"),
    "audit_sealedhead": ("seal_id", "stream_id"),
    "audit_node": ("incarnation_id", "facility", "level", '"index"'),
    "audit_checkpoint": ("incarnation_id", "facility", "size"),
    "audit_cosignature": ("checkpoint_id", "name"),
}
WITHOUT_ID = {"audit_sealedhead", "audit_node"}
KEY = "audit_signingkey"
KEY_COLUMNS = ("id", "name", "key_id", "public_key", "created_at")
KEY_CHANGES = (
    " OR ".join(f"NEW.{name} <> OLD.{name}" for name in KEY_COLUMNS) + " OR OLD.retired_at IS NOT NULL"
)
REFUSED = "the record is written once: this is refused"


def put_up(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, when in _sqlite_guards().items():
            schema_editor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        statements = POSTGRES.replace("@schema@", cursor.fetchone()[0])
        cursor.execute(statements.replace("@arguments@", ARGUMENTS).replace("@signature@", SIGNATURE))
        for table in WRITTEN_ONCE:
            cursor.execute(_postgres_guard(table, "BEFORE UPDATE OR DELETE", "written_once", "ROW"))
            cursor.execute(_postgres_guard(table, "BEFORE TRUNCATE", "kept", "STATEMENT"))
        cursor.execute(_postgres_guard(KEY, "BEFORE DELETE", "not_deleted", "ROW"))
        cursor.execute(_postgres_guard(KEY, "BEFORE TRUNCATE", "kept", "STATEMENT"))
        cursor.execute(_postgres_guard(KEY, "BEFORE UPDATE", "only_retired", "ROW", f"WHEN ({KEY_CHANGES})"))


def take_down(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in _sqlite_guards():
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(POSTGRES_REVERSE.replace("@signature@", SIGNATURE))


def _postgres_guard(table, when, name, each, condition=""):
    return f"""CREATE TRIGGER {table}_{name} {when} ON {table} FOR EACH {each} {condition}
        EXECUTE FUNCTION audit_refuse();
        ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_{name}"""


def _sqlite_guards():
    """When SQLite refuses a statement, by the name of the guard."""
    guards = dict(SQLITE)
    for table, unique in WRITTEN_ONCE.items():
        same = " AND ".join(f"{name} = NEW.{name}" for name in unique)
        there = f"SELECT 1 FROM {table} WHERE ({same})"
        if table not in WITHOUT_ID:
            key = "number" if table == "audit_incarnation" else "id"
            there += f" OR {key} = NEW.{key}"
        guards[f"{table}_not_updated"] = f"BEFORE UPDATE ON {table}"
        guards[f"{table}_not_deleted"] = f"BEFORE DELETE ON {table}"
        guards[f"{table}_not_replaced"] = f"BEFORE INSERT ON {table} WHEN EXISTS ({there})"
    guards[f"{KEY}_not_deleted"] = f"BEFORE DELETE ON {KEY}"
    guards[f"{KEY}_only_retired"] = f"BEFORE UPDATE ON {KEY} WHEN {KEY_CHANGES}"
    guards[f"{KEY}_not_replaced"] = f"""BEFORE INSERT ON {KEY} WHEN EXISTS (SELECT 1 FROM {KEY}
        WHERE id = NEW.id OR (name = NEW.name AND key_id = NEW.key_id))"""
    return guards


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [migrations.RunPython(put_up, take_down)]
