"""The API for other systems: `/api/v1/`, on the pipeline that exists."""
