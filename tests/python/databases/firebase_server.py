"""A Realtime Database for tests, over HTTP: the rules that Firebase documents, queries by key, tokens, and failures on demand.

It keeps a tree without nulls and empty objects, numbers as 64-bit fractions, and shows objects as lists as Firebase does. A
test compares these rules with those of the npm package firebase-server, which runs Firebase's own client library, but knows no
queries and no tokens.
"""

import contextlib
import http.server
import json
import re
import threading
import time
import urllib.parse

FORBIDDEN = re.compile(r"[.#$\[\]/\x00-\x1f\x7f]")
INTEGER = re.compile(r"0|[1-9]\d*")


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def kept(value, depth=1):
    """What the database keeps of a value; None for nothing."""
    if depth > 33:
        raise Refused(400, "Invalid data; the tree is too deep")
    if isinstance(value, list):
        value = {str(i): part for i, part in enumerate(value)}
    if isinstance(value, dict):
        tree = {}
        for key, part in value.items():
            if not key or FORBIDDEN.search(key) or len(key.encode()) > 768:
                raise Refused(400, "Invalid data; is that a JSON object with valid key names?")
            part = kept(part, depth + 1)
            if part is not None:
                tree[key] = part
        return tree or None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value) + 0.0  # there is no -0
        return int(number) if number.is_integer() and abs(number) < 1e21 else number
    return value


def shown(tree):
    """A tree as it is sent: what has numbers for keys is a list if it has few holes."""
    if not isinstance(tree, dict):
        return tree
    if all(INTEGER.fullmatch(key) for key in tree):
        last = max(map(int, tree))
        if last < 2 * len(tree):
            return [shown(tree.get(str(i))) for i in range(last + 1)]
    return {key: shown(part) for key, part in tree.items()}


def order(key):
    is_number = re.fullmatch(r"0|-?[1-9]\d*", key) and -(1 << 31) <= int(key) < 1 << 31
    return (0, int(key), b"") if is_number else (1, 0, key.encode())


class Database:
    def __init__(self):
        self.tree = None
        self.token = None  # what auth= must be
        self.failures = []  # statuses of the requests to come, before they are served
        self.pause_seconds = 0
        self.body = None  # what is sent in place of each answer
        self.requests = []  # method, path and query of each

    def at(self, path):
        tree = self.tree
        for key in path:
            tree = tree.get(key) if isinstance(tree, dict) else None
        return tree

    def put(self, path, value):
        if not path:
            self.tree = value
            return
        if value is None and self.at(path[:-1]) is None:
            return
        if not isinstance(self.tree, dict):
            self.tree = {}
        above = [self.tree]
        for key in path[:-1]:
            if not isinstance(above[-1].get(key), dict):
                above[-1][key] = {}
            above.append(above[-1][key])
        if value is None:
            above[-1].pop(path[-1], None)
            for key, parent, child in zip(path[-2::-1], above[-2::-1], above[::-1]):
                if not child:
                    del parent[key]
        else:
            above[-1][path[-1]] = value
        self.tree = self.tree or None

    def get(self, path, query):
        tree = self.at(path)
        if "orderBy" not in query:
            if "limitToFirst" in query or "startAt" in query:
                raise Refused(400, "orderBy must be defined when other query parameters are defined")
            return shown(tree)
        if query["orderBy"] != '"$key"':
            raise Refused(400, 'Index not defined, add ".indexOn"')
        keys = sorted(tree, key=order) if isinstance(tree, dict) else []
        if "startAt" in query:
            keys = [key for key in keys if order(key) >= order(json.loads(query["startAt"]))]
        if "limitToFirst" in query:
            keys = keys[: int(query["limitToFirst"])]
        # In no order: the order of JSON's names means nothing.
        return shown({key: tree[key] for key in sorted(keys, key=hash)}) if keys else None

    def serve(self, method, path, query, body):
        if self.token is not None and query.get("auth") != self.token:
            raise Refused(401, "Permission denied")
        if method == "GET":
            return self.get(path, query)
        if method == "DELETE":
            self.put(path, None)
            return None
        try:
            value = json.loads(body, parse_constant=lambda name: json.loads("?"))
        except ValueError:
            raise Refused(400, "Invalid data; couldn't parse JSON object, array, or value.") from None
        if method == "PUT":
            self.put(path, kept(value, 1 + len(path)))
        elif method == "PATCH":
            if not isinstance(value, dict):
                raise Refused(400, "Invalid data; PATCH takes an object")
            changes = {key: kept({key: part}, 1 + len(path)) for key, part in value.items()}
            for key, part in changes.items():
                self.put([*path, key], None if part is None else part[key])
        return value


def handler_of(database):
    class Handler(http.server.BaseHTTPRequestHandler):
        def serve(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(parts.query))
            authorization = self.headers.get("Authorization", "")
            if authorization.startswith("Bearer "):
                query["auth"] = authorization.removeprefix("Bearer ")
            database.requests.append((self.command, parts.path, query))
            time.sleep(database.pause_seconds)
            status, answer = 200, None
            if database.failures:
                status = database.failures.pop(0)
                answer = {"error": "the server is busy"}
            elif not parts.path.endswith(".json"):
                status, answer = 404, {"error": "not found"}
            else:
                path = [urllib.parse.unquote(key) for key in parts.path.removesuffix(".json").split("/") if key]
                try:
                    answer = database.serve(self.command, path, query, body)
                except Refused as refusal:
                    status, answer = refusal.status, {"error": str(refusal)}
            silent = status == 200 and query.get("print") == "silent"
            sent = b"" if silent else database.body or json.dumps(answer).encode()
            self.send_response(204 if silent else status)
            if 300 <= status < 400:
                self.send_header("Location", "https://elsewhere.example/recipes.json?auth=secret")
            if not silent:
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(sent)

        do_GET = do_PUT = do_PATCH = do_DELETE = serve

        def log_message(self, *_):
            pass

    return Handler


@contextlib.contextmanager
def running(database):
    """The URL of the root, until the context ends."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(database))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
