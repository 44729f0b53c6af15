"""Django's backend for PostgreSQL, with a check of pooled connections."""
