"""Check a web worker's health as the proxy in front of it does: `python deploy/healthy.py URL`."""

import os
import sys
from urllib.error import URLError
from urllib.request import Request, urlopen

name = os.environ.get("ALLOWED_HOSTS", "127.0.0.1").split(",")[0].strip()
question = Request(sys.argv[1], headers={"Host": name, "X-Forwarded-Proto": "https"})
try:
    with urlopen(question, timeout=4) as answer:
        sys.exit(answer.status != 200)
except (URLError, OSError) as error:
    sys.exit(str(error))
