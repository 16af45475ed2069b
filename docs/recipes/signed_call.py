"""A signed call with only Python's standard library: python3 signed_call.py METHOD PATH [JSON]"""

import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from email.utils import formatdate

URL = os.environ.get("GREENROOM_URL", "http://127.0.0.1:8080")
ATTEMPTS = 4


def call(method, path, body=None):
    """Returns the JSON answer of /v1. Retries reads, but not writes, if the server is busy or unreachable."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            # Sign each attempt again: a date is valid for 30 seconds.
            with urllib.request.urlopen(signed_request(method, path, body), timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if method != "GET" or error.code not in (429, 503) or attempt == ATTEMPTS:
                raise SystemExit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None
            retry_after = error.headers.get("retry-after", "")
            time.sleep(int(retry_after) if retry_after.isdigit() else 2**attempt)
        except (OSError, http.client.HTTPException) as error:
            if method != "GET" or attempt == ATTEMPTS:
                raise SystemExit(f"{method} {path}: {error}") from None
            time.sleep(2**attempt)


def signed_request(method, path, body):
    date = formatdate(usegmt=True)
    secret = os.environ["GREENROOM_SECRET"].encode()
    headers = {
        "x-api-key": os.environ["GREENROOM_KEY"],
        "x-date": date,
        "x-signature": hmac.new(secret, date.encode(), hashlib.sha256).hexdigest(),
        "x-api-version": "1",
        "content-type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.Request(f"{URL}/v1{path}", data, headers, method=method)


if __name__ == "__main__":
    method, path, *body = sys.argv[1:]
    print(json.dumps(call(method, path, *map(json.loads, body)), ensure_ascii=False, indent=2))
