"""Path converters of the floor's URLs; `TablesConfig.ready` registers them."""

from django.urls.converters import StringConverter


class Code(StringConverter):
    """The code of a table, in the characters that a stream's name may have; no other text reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"
