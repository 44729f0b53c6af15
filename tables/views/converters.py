"""Path converters of the URLs of the floor and the desk; `TablesConfig.ready` registers them."""

from django.urls.converters import StringConverter


class Code(StringConverter):
    """The code of a table, or the place of a stream, in the characters of its name; no other reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"
