"""A Spanner for tests, of the types that Go's spannertest lacks: the real protocol over gRPC, tables in memory.

It checks that what is written is encoded as the reference of google.spanner.v1.TypeCode says, keeps it, and sends it back in
PartialResultSets that are cut at random places, also inside of values. It knows reads of whole tables, `SELECT * FROM t`, and
queries whose results a test gives.
"""

import base64
import concurrent.futures
import contextlib
import datetime
import decimal
import json
import math
import os
import random
import re
import threading
import uuid

import grpc
from google.cloud import spanner_v1
from google.cloud.spanner_v1 import TypeCode
from google.protobuf import empty_pb2, struct_pb2

DATABASE = "projects/p/instances/i/databases/d"
MUTATIONS_OF_A_COMMIT, BYTES_OF_A_COMMIT = 80_000, 100 << 20
BYTES_OF_A_PART = 1 << 20
NULL = struct_pb2.Value(null_value=0)


def type_of(code, element=None, fields=None, proto=None):
    """A google.spanner.v1.Type."""
    type_ = spanner_v1.Type.pb()(code=TypeCode[code])
    if element is not None:
        type_.array_element_type.CopyFrom(element)
    for name, field in fields or ():
        type_.struct_type.fields.add(name=name).type_.CopyFrom(field)
    if proto is not None:
        type_.proto_type_fqn = proto
    return type_


def row_type(fields):
    return type_of("STRUCT", fields=fields).struct_type


def refuse(text):
    raise ValueError(text)


def check_text(pattern):
    return lambda text: re.fullmatch(pattern, text) or refuse(text)


def check_time(text):
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z", text) or refuse(text)
    datetime.datetime.fromisoformat(match[1])


def check_numeric(text):
    number = decimal.Decimal(text)
    with decimal.localcontext(decimal.Context(prec=80)):
        if not number.is_finite() or number != round(number, 9) or abs(number) >= 10**29:
            refuse(text)


def check_integer(bits):
    def check(text):
        (re.fullmatch(r"-?\d+", text) and -(1 << bits - 1) <= int(text) < 1 << bits - 1) or refuse(text)

    return check


CHECKS = {
    "INT64": check_integer(64),
    "ENUM": check_integer(32),
    "STRING": lambda text: text,
    "BYTES": lambda text: base64.b64decode(text, validate=True),
    "PROTO": lambda text: base64.b64decode(text, validate=True),
    "DATE": datetime.date.fromisoformat,
    "TIMESTAMP": check_time,
    "NUMERIC": check_numeric,
    "JSON": lambda text: json.loads(text, parse_constant=refuse),
    "UUID": uuid.UUID,
    "INTERVAL": check_text(r"P(-?\d+Y)?(-?\d+M)?(-?\d+D)?(T(-?\d+H)?(-?\d+M)?(-?\d+(\.\d{1,9})?S)?)?"),
}


def stored(value, type_):
    """The value of this type as Spanner stores it. Raises ValueError for a wrong encoding."""
    code = TypeCode(type_.code).name
    kind = value.WhichOneof("kind")
    if kind == "null_value":
        return NULL
    if code == "BOOL":
        kind == "bool_value" or refuse(f"{kind} for BOOL")
    elif code in ("FLOAT64", "FLOAT32"):
        if kind == "string_value":
            value.string_value in ("NaN", "Infinity", "-Infinity") or refuse(value.string_value)
        else:
            kind == "number_value" or refuse(f"{kind} for {code}")
            math.isfinite(value.number_value) or refuse("not finite")
    elif code == "ARRAY":
        kind == "list_value" or refuse(f"{kind} for ARRAY")
        elements = [stored(element, type_.array_element_type) for element in value.list_value.values]
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=elements))
    else:
        kind == "string_value" or refuse(f"{kind} for {code}")
        code in CHECKS or refuse(f"columns have no type {code}")
        if type_.type_annotation == spanner_v1.TypeAnnotationCode.PG_NUMERIC:
            decimal.Decimal(value.string_value)
        else:
            CHECKS[code](value.string_value)
        if code == "JSON":  # Spanner keeps a normal form
            text = json.dumps(json.loads(value.string_value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            return struct_pb2.Value(string_value=text)
    return value


def halves(value, dice):
    """Two values that are this one in two, as PartialResultSet.chunked_value says; None if it cannot be cut."""
    if value.WhichOneof("kind") == "string_value" and len(value.string_value) > 1:
        cut = dice.randrange(1, len(value.string_value))
        return tuple(struct_pb2.Value(string_value=text) for text in (value.string_value[:cut], value.string_value[cut:]))
    if value.WhichOneof("kind") == "list_value" and value.list_value.values:
        elements = list(value.list_value.values)
        i = dice.randrange(len(elements))
        both = halves(elements[i], dice)
        if both is None:  # the last of the one and the first of the other must not be merged
            return None
        sides = (elements[:i] + [both[0]], [both[1]] + elements[i + 1 :])
        return tuple(struct_pb2.Value(list_value=struct_pb2.ListValue(values=side)) for side in sides)
    return None


def parts_of_results(fields, rows, dice):
    """The PartialResultSets of some rows."""
    PartialResultSet = spanner_v1.PartialResultSet.pb()
    parts, part = [], PartialResultSet()
    part.metadata.row_type.CopyFrom(fields)
    for value in [value for row in rows for value in row]:
        while len(value.string_value) > BYTES_OF_A_PART:  # Spanner's parts are small
            part.values.add(string_value=value.string_value[:BYTES_OF_A_PART])
            part.chunked_value = True
            parts.append(part)
            part = PartialResultSet()
            value = struct_pb2.Value(string_value=value.string_value[BYTES_OF_A_PART:])
        both = halves(value, dice) if dice.random() < 0.2 else None
        if both is not None:
            part.values.append(both[0])
            part.chunked_value = True
            parts.append(part)
            part = PartialResultSet(values=[both[1]])
        else:
            part.values.append(value)
        if dice.random() < 0.1 or part.ByteSize() > BYTES_OF_A_PART:
            parts.append(part)
            part = PartialResultSet()
    parts.append(part)
    for i, part in enumerate(parts):
        part.resume_token = b"%d" % (i + 1)
    return parts


class Table:
    def __init__(self, fields, key):
        self.types = dict(fields)
        self.key = key
        self.rows = {}

    def row_type(self, columns):
        return row_type([(name, self.types[name]) for name in columns])


class Server:
    def __init__(self, seed=1):
        self.tables, self.queries = {}, {}
        self.commits, self.requests = [], []
        self.breaks = 0  # how many streams will break off as soon as they have sent a part
        self.refusal = None  # a code and a text for the next commit
        self._dice, self._lock, self._sessions = random.Random(seed), threading.Lock(), 0

    # The methods of the service.

    def _create_session(self, request, context):
        with self._lock:
            self._sessions += 1
            name = f"{request.database}/sessions/{self._sessions}"
        return spanner_v1.Session.pb()(name=name, multiplexed=request.session.multiplexed)

    def _batch_create_sessions(self, request, context):
        response = spanner_v1.BatchCreateSessionsResponse.pb()()
        for _ in range(request.session_count):
            with self._lock:
                self._sessions += 1
                response.session.add(name=f"{request.database}/sessions/{self._sessions}")
        return response

    def _get_session(self, request, context):
        return spanner_v1.Session.pb()(name=request.name)

    def _nothing(self, request, context):
        return empty_pb2.Empty()

    def _begin(self, request, context):
        return spanner_v1.Transaction.pb()(id=b"transaction")

    def _send(self, fields, rows, request, context):
        self.requests.append(request)
        with self._lock:
            dice = random.Random(self._dice.random() if not request.resume_token else 0)
        parts = parts_of_results(fields, rows, random.Random(7) if self.breaks or request.resume_token else dice)
        start = int(request.resume_token or b"0")
        if request.transaction.HasField("begin"):
            parts[0].metadata.transaction.id = b"transaction"
        for part in parts[start:]:
            yield part
            if self.breaks:
                self.breaks -= 1
                context.abort(grpc.StatusCode.UNAVAILABLE, "the server goes away")

    def _read(self, request, context):
        table = self.tables.get(request.table)
        if table is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"Table not found: {request.table}")
        for column in request.columns:
            if column not in table.types:
                context.abort(grpc.StatusCode.NOT_FOUND, f"Table {request.table}: column not found: {column}")
        rows = [[table.rows[key][column] for column in request.columns] for key in sorted(table.rows)]
        yield from self._send(table.row_type(request.columns), rows[: request.limit or None], request, context)

    def _query(self, request, context):
        match = re.fullmatch(r"SELECT \* FROM (\w+)", request.sql)
        if match and match[1] in self.tables:
            table = self.tables[match[1]]
            fields = table.row_type(table.types)
            rows = [[table.rows[key][column] for column in table.types] for key in sorted(table.rows)]
        elif request.sql in self.queries:
            fields, rows = self.queries[request.sql]
        else:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"Syntax error: {request.sql}")
        yield from self._send(fields, rows, request, context)

    def _commit(self, request, context):
        if self.refusal:
            refusal, self.refusal = self.refusal, None
            context.abort(*refusal)
        if request.WhichOneof("transaction") != "transaction_id":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a commit that may be applied twice")
        mutations = sum(
            len(write.columns) * len(write.values)
            for mutation in request.mutations
            for write in [getattr(mutation, mutation.WhichOneof("operation"))]
        )
        if mutations > MUTATIONS_OF_A_COMMIT or request.ByteSize() > BYTES_OF_A_COMMIT:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"The transaction contains too many mutations: {mutations}")
        changes = []
        for mutation in request.mutations:
            mode = mutation.WhichOneof("operation")
            write = getattr(mutation, mode)
            table = self.tables[write.table]
            for values in write.values:
                row = {}
                for column, value in zip(write.columns, values.values):
                    try:
                        row[column] = stored(value, table.types[column])
                    except (ValueError, ArithmeticError) as error:
                        code = TypeCode(table.types[column].code).name
                        text = f"Invalid value for column {column}: {code}: {error}"
                        context.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
                key = int(row[table.key].string_value)
                if mode == "insert" and key in table.rows:
                    context.abort(grpc.StatusCode.ALREADY_EXISTS, f"Row [{key}] in table {write.table} already exists")
                if mode == "update" and key not in table.rows:
                    context.abort(grpc.StatusCode.NOT_FOUND, f"Row [{key}] in table {write.table} is not there")
                before = table.rows.get(key) if mode in ("insert_or_update", "update") else None
                changes.append((table, key, {**(before or dict.fromkeys(table.types, NULL)), **row}))
        for table, key, row in changes:
            table.rows[key] = row
        self.commits.append((mutations, request.ByteSize()))
        response = spanner_v1.CommitResponse.pb()()
        response.commit_timestamp.GetCurrentTime()
        return response

    def handlers(self):
        def serialize(message):
            return message.SerializeToString()

        def unary(method, request):
            return grpc.unary_unary_rpc_method_handler(method, request.pb().FromString, serialize)

        def stream(method, request):
            return grpc.unary_stream_rpc_method_handler(method, request.pb().FromString, serialize)

        return grpc.method_handlers_generic_handler(
            "google.spanner.v1.Spanner",
            {
                "CreateSession": unary(self._create_session, spanner_v1.CreateSessionRequest),
                "BatchCreateSessions": unary(self._batch_create_sessions, spanner_v1.BatchCreateSessionsRequest),
                "GetSession": unary(self._get_session, spanner_v1.GetSessionRequest),
                "DeleteSession": unary(self._nothing, spanner_v1.DeleteSessionRequest),
                "BeginTransaction": unary(self._begin, spanner_v1.BeginTransactionRequest),
                "Rollback": unary(self._nothing, spanner_v1.RollbackRequest),
                "Commit": unary(self._commit, spanner_v1.CommitRequest),
                "StreamingRead": stream(self._read, spanner_v1.ReadRequest),
                "ExecuteStreamingSql": stream(self._query, spanner_v1.ExecuteSqlRequest),
            },
        )


@contextlib.contextmanager
def running(server):
    """The address at which it listens, until the context ends."""
    service = grpc.server(
        concurrent.futures.ThreadPoolExecutor(8), options=[("grpc.max_receive_message_length", -1)]
    )
    service.add_generic_rpc_handlers((server.handlers(),))
    port = service.add_insecure_port("127.0.0.1:0")
    service.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        service.stop(None)


@contextlib.contextmanager
def environment(**variables):
    """Variables of the environment, until the context ends."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
