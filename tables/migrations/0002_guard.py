"""The guard of an act that ran on a worker's own copy of a table (`tables.runner.copies`), on PostgreSQL.

- `tables_guard` locks the table and its stream, and raises a serialization failure unless all that the copy assumed is
  still so. It looks each row up by its key, because a join of all of them would be planned again at every call.
- `tables_epoch` has one row, whose value is another one after each change of the rows that acts read beside those of
  their table. It is no number, which a restored backup could repeat. It changes when the transaction commits, after
  everything else: a deferred trigger of the changed row inserts into `tables_epoch_due`, whose own deferred trigger
  runs after all that were waiting, such as those of foreign keys. So the transaction that locks the one row locks
  nothing more, and two transactions never wait for each other.

SQLite has no copies, because nothing there waits for a network.
"""

from django.db import migrations

# What acts read beside the rows of their table; of a person, what tables show and duty asks.
READ_BY_ACTS = (
    *(
        "games_application",
        "games_facility",
        "games_gamerequest",
        "games_interimpermission",
        "games_provider",
    ),
    *("games_rulessubmission", "games_service"),
    *("tables_approval", "tables_dicelot", "tables_limitschange", "tables_pit", "tables_shaker"),
)
PERSON_COLUMNS = "name, code, role, facility, is_active"

POSTGRES = """
CREATE TABLE tables_epoch (id smallint PRIMARY KEY CHECK (id = 1), epoch uuid NOT NULL);
INSERT INTO tables_epoch VALUES (1, gen_random_uuid());
CREATE TABLE tables_epoch_due (of text PRIMARY KEY);

CREATE FUNCTION tables_epoch_ends() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    -- Once in a transaction, however many rows it changed
    INSERT INTO @schema@.tables_epoch_due VALUES (pg_current_xact_id()::text) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION tables_begin_epoch() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM @schema@.tables_epoch_due d WHERE d.of = NEW.of;
    UPDATE @schema@.tables_epoch SET epoch = gen_random_uuid();
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER tables_epoch_due_begins AFTER INSERT ON tables_epoch_due
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tables_begin_epoch();

CREATE FUNCTION tables_guard(
    table_id bigint, stream_id bigint, seq bigint, head bytea, moment timestamptz, incarnation bigint, epoch uuid,
    actor bigint, at_work bigint[], device uuid, session text, sender text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = @schema@, pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    its_stream bigint;
    its_facility bigint;
    its_pit bigint;
    halted timestamptz;
    its_seq bigint;
    its_head bytea;
    closed timestamptz;
    person bigint;
    now timestamptz;
BEGIN
    SELECT x.stream_id, x.facility_id, x.pit_id, x.halted_at INTO its_stream, its_facility, its_pit, halted
        FROM @schema@.tables_table x WHERE x.id = tables_guard.table_id FOR UPDATE;
    SELECT x.seq, x.head, x.closed_at INTO its_seq, its_head, closed
        FROM @schema@.audit_stream x WHERE x.id = tables_guard.stream_id FOR UPDATE;
    now := @schema@.audit_now();
    IF its_stream IS DISTINCT FROM tables_guard.stream_id
        OR halted IS NOT NULL
        OR its_seq IS DISTINCT FROM tables_guard.seq
        OR its_head IS DISTINCT FROM tables_guard.head
        OR closed IS NOT NULL
        OR tables_guard.moment NOT BETWEEN now - interval '1 second' AND now + interval '100 milliseconds'
        OR (SELECT coalesce(max(i.number), 1) FROM @schema@.audit_incarnation i) <> tables_guard.incarnation
        OR (SELECT e.epoch FROM @schema@.tables_epoch e) IS DISTINCT FROM tables_guard.epoch
        OR (tables_guard.actor <> ALL (tables_guard.at_work)
            AND NOT @schema@.tables_on_duty(tables_guard.actor, its_facility, its_pit, tables_guard.table_id))
        OR (tables_guard.sender IS NOT NULL AND tables_guard.sender IS DISTINCT FROM
            @schema@.audit_sender(tables_guard.device, tables_guard.actor, tables_guard.session))
    THEN
        RAISE EXCEPTION 'the copy is old' USING ERRCODE = 'serialization_failure';
    END IF;
    FOREACH person IN ARRAY tables_guard.at_work LOOP
        -- Each post by itself: an index is used for many tables
        IF NOT @schema@.tables_on_duty(person, its_facility, its_pit, tables_guard.table_id)
            OR NOT EXISTS (SELECT 1 FROM @schema@.audit_person p WHERE p.id = person AND p.is_active)
            OR EXISTS (SELECT 1 FROM @schema@.tables_table o
                       WHERE o.id <> tables_guard.table_id AND o.status <> 'closed'
                       AND (o.dealer_id = person OR o.dealer_left_id = person OR o.stickperson_id = person))
        THEN
            RAISE EXCEPTION 'somebody is no longer at work' USING ERRCODE = 'serialization_failure';
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION tables_begin_epoch() FROM PUBLIC;
REVOKE ALL ON FUNCTION tables_guard(bigint, bigint, bigint, bytea, timestamptz, bigint, uuid, bigint, bigint[],
    uuid, text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION tables_epoch_ends() FROM PUBLIC;
"""
ON_DUTY = """
CREATE FUNCTION tables_on_duty(person bigint, facility bigint, pit bigint, place bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = @schema@, pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM @schema@.tables_assignment a
        WHERE a.person_id = person AND a.facility_id = facility AND a.ended_at IS NULL AND a.elsewhere = ''
            AND (a.table_id = place OR a.pit_id = pit OR (a.pit_id IS NULL AND a.table_id IS NULL)));
END $$;
REVOKE ALL ON FUNCTION tables_on_duty(bigint, bigint, bigint, bigint) FROM PUBLIC;
"""
REVERSE = """
DROP FUNCTION tables_guard(bigint, bigint, bigint, bytea, timestamptz, bigint, uuid, bigint, bigint[],
    uuid, text, text);
DROP FUNCTION tables_on_duty(bigint, bigint, bigint, bigint);
DROP TABLE tables_epoch_due;
DROP FUNCTION tables_begin_epoch();
DROP FUNCTION tables_epoch_ends() CASCADE;
DROP TABLE tables_epoch;
"""


def put_up(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        schema = cursor.fetchone()[0]
        cursor.execute((ON_DUTY + POSTGRES).replace("@schema@", schema))
        for table in READ_BY_ACTS:
            cursor.execute(_trigger(table, "INSERT OR UPDATE OR DELETE"))
        cursor.execute(_trigger("audit_person", f"UPDATE OF {PERSON_COLUMNS}"))


def take_down(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(REVERSE)


def _trigger(table, when):
    return f"""CREATE CONSTRAINT TRIGGER {table}_epoch AFTER {when} ON {table}
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tables_epoch_ends()"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial"), ("games", "0002_guards"), ("audit", "0002_guards")]
    operations = [migrations.RunPython(put_up, take_down)]
