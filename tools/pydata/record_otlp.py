#!/usr/bin/env python3
"""Records real OpenTelemetry spans. A small search engine indexes the Python standard library and answers queries, and the
official SDK traces it. The spans are written as a varint-delimited file of ExportTraceServiceRequest messages.

The file differs from run to run: the times are measured, and the ids are random. The sizes of the messages and the queries
depend on --seed."""

import argparse
import ast
import collections
import hashlib
import os
import pathlib
import platform
import random
import re
import sys
import sysconfig

from google.protobuf import descriptor_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

import framing

WORD = re.compile(r"[A-Za-z_]\w{2,}")
CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
MAX_SPANS_PER_MESSAGE = 50


def write_descriptor_set(path):
    """Writes trace_service.proto and all its imports, each file after its imports, as protoc --include_imports does."""
    descriptor_set = descriptor_pb2.FileDescriptorSet()
    seen = set()

    def add(file):
        if file.name in seen:
            return
        seen.add(file.name)
        for dependency in file.dependencies:
            add(dependency)
        file.CopyToProto(descriptor_set.file.add())

    add(trace_service_pb2.DESCRIPTOR)
    with framing.replacing(path) as output:
        output.write(descriptor_set.SerializeToString(deterministic=True))



class Recorder:
    """Collects the ended spans of all services, and writes them in messages of 1 to 50 spans, as a busy collector gets them."""

    def __init__(self, output, message_count, rng):
        self.output = output
        self.message_count = message_count
        self.rng = rng
        self.waiting = []
        self.next_size = 1
        self.messages = self.spans = self.size_bytes = 0

    def add(self, span):
        if self.messages == self.message_count:
            return
        self.waiting.append(span)
        if len(self.waiting) >= self.next_size:
            self.flush()

    def flush(self):
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

        payload = encode_spans(self.waiting).SerializeToString()
        self.output.write(framing.frame_delimited([payload]))
        self.messages += 1
        self.spans += len(self.waiting)
        self.size_bytes += len(payload)
        self.waiting = []
        self.next_size = self.rng.randint(1, MAX_SPANS_PER_MESSAGE)

    @property
    def done(self):
        return self.messages >= self.message_count


class SearchEngine:
    """The program that is recorded. Its parts act as three services, each with a resource and one or more scopes."""

    def __init__(self, recorder, rng):
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, SpanProcessor, TracerProvider

        class Forward(SpanProcessor):
            def on_end(self, span):
                recorder.add(span)

        def service(name, **attributes):
            resource = Resource.create(
                {
                    "service.name": name,
                    "service.version": "0.1.0",
                    "process.pid": os.getpid(),
                    "process.command_args": [pathlib.Path(argument).name for argument in sys.argv],
                    "host.arch": platform.machine(),
                    "os.description": platform.platform(),
                    **attributes,
                },
                schema_url="https://opentelemetry.io/schemas/1.30.0",
            )
            # Low limits, so that some spans come with dropped attributes, events and links.
            provider = TracerProvider(
                resource=resource,
                span_limits=SpanLimits(max_span_attributes=16, max_events=12, max_links=20, max_event_attributes=8),
            )
            provider.add_span_processor(Forward())
            return provider

        self.trace = trace
        self.recorder = recorder
        self.rng = rng
        indexer = service("indexer", **{"indexer.stop_words": ["the", "self", "def"], "indexer.case_sensitive": False})
        storage = service("storage", **{"storage.block_bytes": 4096, "storage.load_factors": [0.5, 0.75, 1.0]})
        frontend = service("search-frontend", **{"deployment.environment.name": "demo", "feature.flags": [True, False]})
        self.files = storage.get_tracer("storage.files", "1.2.0")
        self.queue = storage.get_tracer("storage.queue")
        self.indexer = indexer.get_tracer("indexer", "2.0.1", "https://opentelemetry.io/schemas/1.30.0")
        self.parser = indexer.get_tracer("indexer.parser", "2.0.1", attributes={"parser.python": platform.python_version()})
        self.search = frontend.get_tracer("search", "0.9", attributes={"search.ranked": True, "search.weight": 0.25})
        self.postings = collections.defaultdict(collections.Counter)
        self.indexed_in = {}
        self.names = []

    def run(self, paths):
        """Indexes files and answers queries in turns, as long as more spans are wanted."""
        while True:
            for path in paths:
                self.index_file(path)
                for _ in range(2):
                    self.answer_query()
                if self.recorder.done:
                    return

    def index_file(self, path):
        SpanKind = self.trace.SpanKind
        with self.queue.start_as_current_span("enqueue", kind=SpanKind.PRODUCER, attributes={"file.path": path.name}) as sent:
            link = self.trace.Link(sent.get_span_context(), {"messaging.batch.size": 1})
        with self.queue.start_as_current_span("dequeue", kind=SpanKind.CONSUMER, links=[link]):
            with self.indexer.start_as_current_span("index file", attributes={"file.name": path.name}) as span:
                text = self.read_file(path)
                words = WORD.findall(text)
                longest = sorted(set(words), key=lambda word: (-len(word), word))[:5]
                span.set_attributes(
                    {
                        "file.size": len(text),
                        "file.lines": text.count("\n"),
                        "words.longest": longest,
                        "words.longest.length": [len(word) for word in longest],
                        "words.per_line": len(words) / max(1, text.count("\n")),
                        "file.sha1": hashlib.sha1(text.encode()).digest(),
                        "file.layout": {"indent": 4 if "\n    " in text else 0, "tabs": "\t" in text},
                    }
                )
                name = path.name
                for word, count in collections.Counter(words).items():
                    self.postings[word][name] = count
                self.indexed_in[name] = span.get_span_context()
                self.parse(text)
                span.set_status(self.trace.StatusCode.OK)

    def read_file(self, path):
        attributes = {"file.directory": str(path.parent)}
        with self.files.start_as_current_span("read file", kind=self.trace.SpanKind.CLIENT, attributes=attributes) as span:
            data = path.read_bytes()
            span.add_event("read", {"bytes": len(data), "blocks": -(-len(data) // 4096)})
            try:
                return data.decode("ascii")
            except UnicodeDecodeError as error:
                span.record_exception(error, {"exception.recovered": True})
            return data.decode("utf-8", errors="replace")

    def parse(self, text):
        with self.parser.start_as_current_span("parse", record_exception=True, set_status_on_exception=True) as span:
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError) as error:
                span.record_exception(error)
                span.set_status(self.trace.StatusCode.ERROR, str(error))
                return
            lines = text.splitlines()
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    self.names.append(node.name)
                    self.index_definition(node, lines)

    def index_definition(self, node, lines):
        kind = type(node).__name__
        with self.parser.start_as_current_span(f"index {kind}", attributes={"code.function.name": node.name}) as span:
            called = CALL.findall("\n".join(lines[node.lineno : node.end_lineno]))
            span.set_attribute("code.line.number", node.lineno)
            span.set_attribute("code.documented", ast.get_docstring(node) is not None)
            if called:
                span.set_attribute("code.calls", called[:8])
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    span.add_event("method", {"name": method.name, "arguments": [a.arg for a in method.args.args]})

    def answer_query(self):
        if not self.names:
            return
        words = self.rng.sample(self.names, min(len(self.names), self.rng.randint(1, 4)))
        if self.rng.randrange(2):
            words.append("no_such_word")
        context = self.caller_context()
        attributes = {"query.words": words, "query.limit": 10}
        with self.search.start_as_current_span("query", context, self.trace.SpanKind.SERVER, attributes) as span:
            scores = collections.Counter()
            for word in words:
                try:
                    scores.update(self.look_up(word))
                except KeyError:
                    span.add_event("word not found", {"word": word})
            found = [name for name, _ in scores.most_common(10)]
            for name in found:
                span.add_link(self.indexed_in[name], {"file.name": name, "score": scores[name]})
            span.set_attribute("query.scores", [score / (1 + len(words)) for _, score in scores.most_common(10)])
            span.set_attribute("query.complete", ["no_such_word" != word for word in words])

    def look_up(self, word):
        with self.search.start_as_current_span("look up") as span:
            span.set_attribute("word", word)
            if word not in self.postings:
                raise KeyError(word)
            return self.postings[word]

    def caller_context(self):
        """Some queries come from another process, which passes its trace and a trace state."""
        if self.rng.randrange(3):
            return None
        caller = self.trace.SpanContext(
            self.rng.getrandbits(128) | 1,
            self.rng.getrandbits(64) | 1,
            is_remote=True,
            trace_flags=self.trace.TraceFlags(self.trace.TraceFlags.SAMPLED),
            trace_state=self.trace.TraceState([("search", f"shard:{self.rng.randrange(8)}"), ("demo", "1")]),
        )
        return self.trace.set_span_in_context(self.trace.NonRecordingSpan(caller))


def standard_library_sources():
    root = pathlib.Path(sysconfig.get_path("stdlib"))
    paths = sorted(root.glob("*.py")) + sorted(root.glob("*/*.py"))
    return [path for path in paths if path.parent.name not in ("site-packages", "dist-packages", "test")]


def record(path, message_count, seed):
    rng = random.Random(seed)
    with framing.replacing(path) as output:
        recorder = Recorder(output, message_count, rng)
        engine = SearchEngine(recorder, rng)
        paths = standard_library_sources()
        rng.shuffle(paths)
        if message_count > 0:
            engine.run(paths)
    print(
        f"recorded {recorder.messages:,} messages with {recorder.spans:,} spans ({recorder.size_bytes / 1e6:.1f} MB)"
        f" while indexing the Python standard library: {path}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spans", metavar="FILE", help="record spans and write them to FILE")
    parser.add_argument("--descriptor-set", metavar="FILE", help="write the schema, a FileDescriptorSet, to FILE")
    parser.add_argument("--messages", metavar="N", type=int, default=2000, help="messages to record (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (default %(default)s)")
    arguments = parser.parse_args()
    if not arguments.spans and not arguments.descriptor_set:
        parser.error("nothing to do: give --spans, --descriptor-set or both")
    if arguments.messages < 0:
        parser.error(f"--messages {arguments.messages}: expected 0 or more")
    if arguments.descriptor_set:
        write_descriptor_set(arguments.descriptor_set)
    if arguments.spans:
        record(arguments.spans, arguments.messages, arguments.seed)


if __name__ == "__main__":
    main()
