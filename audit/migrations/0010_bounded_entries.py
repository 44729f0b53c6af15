"""Refuse entries of the future, of people who are not on file, and on the stream of another role. PostgreSQL only.

- `audit_write` writes an entry as `audit_append` did, and nobody may call it. It refuses an `at` more than two seconds
  ahead of the database's clock: on that stream nothing could be recorded until then.
- `audit_append`, for the web role, refuses the streams of the installation.
- `audit_append_system`, for the sealer's role, accepts only `installation/system`.

SQLite has no roles; `audit.record` bounds the time there.
"""

from django.db import migrations

SIGNATURE = "bigint, bigint, bytea, text, timestamptz, date"
ARGUMENTS = "stream_id bigint, expected_seq bigint, body bytea, type text, at timestamptz, gaming_day date"

POSTGRES = r"""
CREATE FUNCTION audit_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;

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

CREATE OR REPLACE FUNCTION audit_append(@arguments@) RETURNS TABLE (seq bigint, hash bytea)
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
REVOKE ALL ON FUNCTION audit_write(@signature@) FROM PUBLIC;
REVOKE ALL ON FUNCTION audit_append_system(@signature@) FROM PUBLIC;

DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'pitside_sealer') THEN
        REVOKE EXECUTE ON FUNCTION audit_append(@signature@) FROM pitside_sealer;
        GRANT EXECUTE ON FUNCTION audit_append_system(@signature@) TO pitside_sealer;
    END IF;
END $$;
"""


def create_functions(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        statements = POSTGRES.replace("@schema@", cursor.fetchone()[0])
        cursor.execute(statements.replace("@arguments@", ARGUMENTS).replace("@signature@", SIGNATURE))


class Migration(migrations.Migration):
    dependencies = [("audit", "0009_pins_and_enrollment")]
    operations = [migrations.RunPython(create_functions)]
