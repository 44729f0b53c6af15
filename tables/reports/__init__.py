"""The daily report: what the record and its rows say of one gaming day, as figures, plots and paper."""
