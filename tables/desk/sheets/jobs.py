"""Readable exports as jobs of the worker (audit/exporting/jobs.py)."""

import datetime as dt
from pathlib import Path
from typing import Any

from audit.exporting.output import FileWriter, Heartbeat, register_writer
from audit.models import Job
from games.models import Facility
from tables.desk.sheets.files import write_csv, write_xlsx
from tables.desk.sheets.rows import SheetQuery, count_rounds

WRITE = {"sheets-xlsx": write_xlsx, "sheets-csv": write_csv}


def query_of(facility: Facility, params: dict[str, Any]) -> SheetQuery:
    """The query of a job's stored parameters."""
    return SheetQuery(
        facility,
        dt.date.fromisoformat(params["day"]),
        dt.date.fromisoformat(params["last_day"]),
        game=params.get("game", ""),
        table=params.get("table", ""),
        training=bool(params.get("training")),
        round=params.get("number"),
    )


def write_sheets(job: Job, path: Path, beat: Heartbeat) -> dict[str, Any]:
    """Write the file of a job. Returns the number of its rows as `entries`."""
    query = query_of(Facility.objects.get(code=job.facility), job.params)
    beat(0, count_rounds(query))
    rows = WRITE[job.kind](path, query, beat)
    return {"entries": rows, "streams": len(query.tables)}


def _name(job: Job) -> str:
    """The part of the file's name that says what it is."""
    table, number = job.params.get("table"), job.params.get("number")
    parts = [job.params.get("game") or "", table or "", f"R{number}" if number else "", "sheets"]
    return "-".join(part for part in parts if part)


register_writer("sheets-xlsx", FileWriter("xlsx", write_sheets, _name))
register_writer("sheets-csv", FileWriter("zip", write_sheets, _name))
