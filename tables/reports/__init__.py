"""The daily report, as page and PDF."""
