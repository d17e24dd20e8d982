"""The example otlp_service: requests over HTTP, Parquet files, compared with python-protobuf's reading of the requests."""

import concurrent.futures
import gzip
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

import commands
import pyarrow.parquet as pq
import pytest


class Service:
    """A running otlp_service that writes to `folder`."""

    def __init__(self, folder, rows=1_000_000, seconds=300):
        arguments = [commands.command_path("otlp_service"), str(folder), "0", str(rows), str(seconds)]
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stderr.readline()).group()

    def post(self, body, content_type="application/x-protobuf", **headers):
        headers = {"Content-Type": content_type, **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = urllib.request.Request(self.url, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        printed = self.process.communicate(timeout=60)[1]
        return self.process.returncode, printed


@pytest.fixture
def service(tmp_path):
    running = []

    def start(**options):
        running.append(Service(tmp_path, **options))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.wait()


@pytest.fixture(scope="module")
def requests(tmp_path_factory):
    """Recorded requests, serialized."""
    return commands.record_otlp(tmp_path_factory.mktemp("otlp"), 60).payloads


def spans_of(payloads):
    """(span id, name, start, service) of each span, by python-protobuf."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    rows = []
    for payload in payloads:
        for resource in ExportTraceServiceRequest.FromString(payload).resource_spans:
            attributes = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                rows += [
                    (span.span_id, span.name, span.start_time_unix_nano, attributes["service.name"], scope.scope.name)
                    for span in scope.spans
                ]
    return sorted(rows)


def spans_in(folder):
    rows = []
    for path in sorted(folder.iterdir()):
        assert path.suffix == ".parquet", path
        for row in pq.read_table(path, columns=["span_id", "name", "start_time_unix_nano", "resource", "scope"]).to_pylist():
            attributes = {each["key"]: each["value"]["string_value"] for each in row["resource"]["attributes"]}
            rows.append(
                (row["span_id"], row["name"], row["start_time_unix_nano"], attributes["service.name"], row["scope"]["name"])
            )
    return sorted(rows)


def test_spans_become_rows_with_their_resource_and_scope(service, requests, tmp_path):
    running = service()
    for request in requests:
        assert running.post(request) == (200, b"")
    assert [path for path in tmp_path.iterdir() if path.suffix == ".parquet"] == []  # the file is not complete yet
    code, printed = running.stop()
    assert code == 0, printed
    assert spans_in(tmp_path) == spans_of(requests)


def test_many_clients_at_a_time_and_files_of_some_rows(service, requests, tmp_path):
    running = service(rows=200)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(running.post, requests)) == {(200, b"")}
    code, printed = running.stop(signal.SIGINT)
    assert code == 0, printed
    assert len(list(tmp_path.iterdir())) > 2
    assert spans_in(tmp_path) == spans_of(requests)


def test_old_files_are_completed_without_another_request(service, requests, tmp_path):
    running = service(seconds=1)
    running.post(requests[0])
    for _ in range(200):
        if any(path.suffix == ".parquet" for path in tmp_path.iterdir()):
            break
        time.sleep(0.05)
    assert spans_in(tmp_path) == spans_of(requests[:1])
    assert running.stop()[0] == 0


def test_compressed_and_empty_requests(service, requests, tmp_path):
    running = service()
    assert running.post(gzip.compress(requests[0]), Content_Encoding="gzip")[0] == 200
    assert running.post(b"") == (200, b"")
    assert running.stop()[0] == 0
    assert spans_in(tmp_path) == spans_of(requests[:1])


@pytest.mark.parametrize(
    "body, content_type, status, text",
    [
        (b"\x0a\xff", "application/x-protobuf", 400, b"runs past the end of its message"),
        (b"{}", "application/json", 415, b"application/x-protobuf"),
        (b"x" * ((16 << 20) + 1), "application/x-protobuf", 413, b""),
    ],
)
def test_requests_that_are_refused_harm_no_other(service, requests, tmp_path, body, content_type, status, text):
    running = service()
    running.post(requests[0])
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as refused:
        running.post(body, content_type)
    if isinstance(refused.value, urllib.error.HTTPError):
        assert refused.value.code == status and text in refused.value.read()
    else:
        assert status == 413  # the service closes the connection before it has read all
    running.post(requests[1])
    assert running.stop()[0] == 0
    assert spans_in(tmp_path) == spans_of(requests[:2])


@pytest.mark.parametrize("arguments", [[], ["."] * 6, [".", "65536"], [".", "x"], [".", "0", "0"], [".", "0", "1", "-1"]])
def test_command_lines_that_make_no_sense(arguments):
    outcome = commands.run("otlp_service", *arguments)
    assert outcome.exit_code == 2 and outcome.stderr.startswith("usage: ")


def test_folders_that_are_not_there(tmp_path):
    outcome = commands.run("otlp_service", tmp_path / "none", "0")
    assert outcome.exit_code == 1 and "no such folder" in outcome.stderr
