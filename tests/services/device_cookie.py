"""The cookie of an enrolled device, as its browser has it after every sign-in so far."""

from django.http import HttpResponse

from audit.devices import set_device_cookie
from audit.models import Device
from audit.one_time import token_hash


def set_newest_cookie(response: HttpResponse, token: str) -> None:
    """Give a browser the newest cookie of the device with this token."""
    device = Device.objects.filter(token_sha256=token_hash(token)).only("cookies_made").first()
    set_device_cookie(response, token, device.cookies_made if device else 0)
