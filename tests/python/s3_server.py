"""A server of S3's HTTP interface, as much of it as reading and writing files needs, with its objects in memory.

Signatures are not checked, and it only needs to work with Arrow's client. moto would cover more of S3, but brings boto3 and
some twenty packages along. What the tests look at (unfinished uploads, ranges, servers that fail) is easier here.
"""

import contextlib
import http.server
import threading
import urllib.parse
import xml.sax.saxutils

PAGE = 3  # keys of a listing: more come in further pages

# What clients of the server need to know, and what keeps them from looking elsewhere.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}


class S3Server:
    """`objects`: {bucket: {key: bytes}}. `uploads`: those that are begun and neither completed nor aborted."""

    def __init__(self, *buckets):
        self.objects = {bucket: {} for bucket in buckets}
        self.uploads = {}
        self.requests = []  # (method, path with query, range)
        self.fails = lambda method, path: None  # or (HTTP status, S3's code)
        self.before_part = lambda number: None
        self.lock = threading.Lock()
        self._uploads_begun = 0
        server = self

        class Handler(_Handler):
            s3 = server

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def options(self):
        """What follows the path of a file on this server."""
        return f"?endpoint_override=127.0.0.1:{self._http.server_port}&scheme=http&region=us-east-1"

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def begin_upload(self, bucket, key):
        with self.lock:
            self._uploads_begun += 1
            name = f"upload-{self._uploads_begun}"
            self.uploads[name] = (bucket, key, {})
        return name


@contextlib.contextmanager
def running(*buckets):
    server = S3Server(*buckets)
    try:
        yield server
    finally:
        server.close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def _answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _xml(self, name, content, status=200):
        text = (
            f'<?xml version="1.0" encoding="UTF-8"?><{name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{content}</{name}>'
        )
        self._answer(status, text.encode(), Content_Type="application/xml")

    def _error(self, status, code):
        text = f"<?xml version='1.0' encoding='UTF-8'?><Error><Code>{code}</Code><Message>{code}, of the test</Message></Error>"
        self._answer(status, text.encode(), Content_Type="application/xml")

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b"".join(iter(self._read_chunk, b""))
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return body
        decoded = b""
        while True:
            line, _, body = body.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                return decoded
            decoded, body = decoded + body[:size], body[size + 2 :]

    def _read_chunk(self):
        chunk = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return chunk

    def _handle(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        bucket, _, key = urllib.parse.unquote(address.path)[1:].partition("/")
        self.s3.requests.append((self.command, urllib.parse.unquote(self.path), self.headers.get("Range")))
        body = self._body()
        if failure := self.s3.fails(self.command, self.path):
            self._error(*failure)
        elif bucket not in self.s3.objects:
            self._error(404, "NoSuchBucket")
        elif not key:
            self._list(bucket, query) if self.command == "GET" else self._answer(200)
        elif "uploads" in query or "uploadId" in query:
            self._multipart(bucket, key, query, body)
        else:
            self._object(self.s3.objects[bucket], key, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle

    def _object(self, objects, key, body):
        if self.command == "PUT":
            objects[key] = body
            self._answer(200, ETag='"1"')
        elif self.command == "DELETE":
            objects.pop(key, None)
            self._answer(204)
        elif key not in objects:
            self._error(404, "NoSuchKey")
        else:
            content = objects[key]
            status, headers = 200, {"ETag": '"1"', "Last_Modified": "Mon, 01 Jan 2024 00:00:00 GMT", "Accept_Ranges": "bytes"}
            if wanted := self.headers.get("Range"):
                first, _, last = wanted.removeprefix("bytes=").partition("-")
                begin, end = int(first), min(int(last), len(content) - 1)
                headers["Content_Range"] = f"bytes {begin}-{end}/{len(content)}"
                status, content = 206, content[begin : end + 1]
            self._answer(status, content, Content_Length=str(len(content)), **headers)

    def _multipart(self, bucket, key, query, body):
        upload = query.get("uploadId")
        if self.command == "POST" and upload is None:
            name = self.s3.begin_upload(bucket, key)
            self._xml(
                "InitiateMultipartUploadResult", f"<Bucket>{bucket}</Bucket><Key>{_text(key)}</Key><UploadId>{name}</UploadId>"
            )
        elif upload not in self.s3.uploads:
            self._error(404, "NoSuchUpload")
        elif self.command == "PUT":
            self.s3.before_part(int(query["partNumber"]))
            self.s3.uploads[upload][2][int(query["partNumber"])] = body
            self._answer(200, ETag=f'"{query["partNumber"]}"')
        elif self.command == "POST":
            parts = self.s3.uploads.pop(upload)[2]
            self.s3.objects[bucket][key] = b"".join(parts[number] for number in sorted(parts))
            self._xml("CompleteMultipartUploadResult", f'<Bucket>{bucket}</Bucket><Key>{_text(key)}</Key><ETag>"1"</ETag>')
        else:
            self.s3.uploads.pop(upload)
            self._answer(204)

    def _list(self, bucket, query):
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        entries = {}
        for key in self.s3.objects[bucket]:
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            folder = delimiter and delimiter in rest
            entries[prefix + rest.partition(delimiter)[0] + delimiter if folder else key] = folder
        names = sorted(entries)
        begin = int(query.get("continuation-token", 0))
        end = begin + min(PAGE, int(query.get("max-keys", PAGE)))
        content = [f"<Name>{bucket}</Name><Prefix>{_text(prefix)}</Prefix><KeyCount>{len(names[begin:end])}</KeyCount>"]
        content.append(f"<IsTruncated>{'true' if end < len(names) else 'false'}</IsTruncated>")
        if end < len(names):
            content.append(f"<NextContinuationToken>{end}</NextContinuationToken>")
        for name in names[begin:end]:
            if entries[name]:
                content.append(f"<CommonPrefixes><Prefix>{_text(name)}</Prefix></CommonPrefixes>")
            else:
                size = len(self.s3.objects[bucket][name])
                content.append(
                    f"<Contents><Key>{_text(name)}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified>"
                    f'<ETag>"1"</ETag><Size>{size}</Size></Contents>'
                )
        self._xml("ListBucketResult", "".join(content))


def _text(key):
    return xml.sax.saxutils.escape(key)
