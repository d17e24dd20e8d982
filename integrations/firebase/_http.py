"""Requests to the REST interface, with the standard library."""

import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

_RETRIED = {429, 500, 502, 503, 504}
_FIRST_PAUSE_SECONDS = 0.25


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # No redirects: the request has a token, which only this host may see.
    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _number(text):
    return -0.0 if text == "-0" else int(text)


def loads(text):
    """json.loads(), except that -0 keeps its sign."""
    return json.loads(text, parse_int=_number)


def dumps(value):
    """JSON in ASCII. The npm package firebase-server damages other characters that are split between two network packets."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


class Place:
    """A path in a database, and how to reach it."""

    def __init__(self, url, auth, access_token, timeout, retries):
        if not isinstance(url, str):
            raise TypeError(f"url: expected a text, found {url!r}")
        without_token = url.partition("?")[0]
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url: expected https://HOST/PATH, found {without_token!r}")
        path = parts.path.rstrip("/").removesuffix(".json").rstrip("/")
        if "#" in url or re.search(r"[.$\[\]\x00-\x1f\x7f]", urllib.parse.unquote(path)) or "//" in path:
            raise ValueError(f"url: {without_token!r} has a path with an empty key, or one with . # $ [ ]")
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise ValueError(f"timeout = {timeout!r}; expected seconds, more than 0")
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 10:
            raise ValueError(f"retries = {retries!r}; expected 0 to 10")
        self.depth = path.count("/")
        self._path = urllib.parse.quote(path, safe="/%")
        # For errors: the URL without the token.
        self.shown = urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path or "/", "", ""))
        self._start = f"{parts.scheme}://{parts.netloc}{self._path or '/'}.json"
        self._query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        if auth is not None:
            self._query.append(("auth", auth))
        self._headers = {"Content-Type": "application/json"}
        if access_token is not None:
            self._headers["Authorization"] = f"Bearer {access_token}"
        self._timeout, self._retries = timeout, retries

    def request(self, method, value=None, **query):
        """Sends a request. Returns the parsed answer of the database."""
        url = self._start
        pairs = [*self._query, *query.items()]
        if pairs:
            url += "?" + urllib.parse.urlencode(pairs)
        body = None if method in ("GET", "DELETE") else dumps(value).encode()
        request = urllib.request.Request(url, data=body, headers=self._headers, method=method)
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(self._retries + 1):
            try:
                with _OPENER.open(request, timeout=self._timeout) as response:
                    return self._answer(method, response.read())
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in _RETRIED or attempt == self._retries:
                        raise self._refused(method, error) from None
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, (TimeoutError, socket.timeout)):
                    raise TimeoutError(
                        f"{method} {self.shown}: no answer within {self._timeout} s; timeout= sets the limit"
                    ) from None
                if attempt == self._retries or isinstance(reason, (socket.gaierror, ConnectionRefusedError)):
                    raise ConnectionError(f"{method} {self.shown}: {reason or type(reason).__name__}") from None
            time.sleep(pause)
            pause *= 2

    def _answer(self, method, body):
        try:
            return loads(body) if body else None
        except (ValueError, RecursionError) as error:
            raise OSError(f"{method} {self.shown}: the answer is not JSON ({error}); is this a Realtime Database?") from None

    def _refused(self, method, error):
        text = ""
        try:
            answer = json.loads(error.read())
            text = answer.get("error", "") if isinstance(answer, dict) else ""
        except (ValueError, OSError):
            pass
        said = f"{method} {self.shown}: {error.code} {text or error.reason}"
        if error.code in (401, 403):
            return PermissionError(f"{said}; pass auth= or access_token=, or look at the rules of the database")
        if error.code == 404:
            return FileNotFoundError(f"{said}; there is no such database")
        if error.code == 400:
            return ValueError(said)
        if 300 <= error.code < 400:
            target = (error.headers.get("Location") or "").partition("?")[0]
            return OSError(f"{said}: the database is at {target}; pass that URL")
        return OSError(said)
