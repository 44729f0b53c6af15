"""How addresses name things; `TablesConfig.ready` registers these."""

from django.urls.converters import StringConverter


class Code(StringConverter):
    """The code of a table as its stream may be named; no other text reaches the database."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"
