"""A client of Pitside's API.

    with Pitside("https://pitside.example", client_id, secret) as pitside:
        tables = answered(list_tables.sync("larkfield", client=pitside.client))

`pitside_api` has a function for each address, and a class for each shape, generated from the OpenAPI document.
`Pitside` gives them a token, asks again where that is safe, does acts once, and reads the record as a stream.
`verify_webhook` checks what a webhook has sent.
"""

from pitside_client.connection import Act, Done, Pitside
from pitside_client.problems import NotAnswered, Refused, answered
from pitside_client.record import Entry, Interrupted, Reader
from pitside_client.webhooks import NotSigned, Told, verify_webhook

__all__ = [
    "Act",
    "Done",
    "Entry",
    "Interrupted",
    "NotAnswered",
    "NotSigned",
    "Pitside",
    "Reader",
    "Refused",
    "Told",
    "answered",
    "verify_webhook",
]
