"""The children of a path as rows, and rows as children."""

import structtensor as st
from structtensor._schema import as_schema

from ._escape import Escape, Unescape, check_key, escape_key, keyed, unescape_key
from ._http import Place, dumps, loads
from ._messages import Messages

_MAX_DEPTH = 32
_VALUE = "_value_"


def _order(key):
    """Firebase's order of keys: 32-bit integers first, then strings."""
    if key.lstrip("-").isascii() and key.lstrip("-").isdigit() and str(int(key)) == key and -(1 << 31) <= int(key) < 1 << 31:
        return (0, int(key), "")
    return (1, 0, key)


def _children(tree, place):
    """The keys and values of the children, in the order of the keys."""
    if tree is None:
        return []
    tree = keyed(tree)
    if not isinstance(tree, dict):
        raise ValueError(f"{place.shown}: expected children, which are the rows; found the value {str(tree)[:40]!r}")
    return [(key, tree[key]) for key in sorted(tree, key=_order)]


def _pages(place, size):
    """The children in pages of `size`. Each page after the first one starts with the last key of the page before."""
    start, seen, limit = {}, set(), size
    while True:
        found = _children(place.request("GET", orderBy='"$key"', limitToFirst=limit, **start), place)
        if len(found) > limit:
            raise OSError(
                f"{place.shown}: the database returned {len(found)} children, not {limit}; it ignores limitToFirst"
            )
        page = [(key, value) for key, value in found if key not in seen]
        if page:
            yield page
        if len(found) < limit:
            return
        if not page:
            raise OSError(f"{place.shown}: the database returned the same page again; it ignores orderBy and startAt")
        start, seen, limit = {"startAt": dumps(page[-1][0])}, {key for key, _ in found}, size + 1


class _Reader:
    """From children to rows."""

    def __init__(self, schema, message, keys, spec, options):
        self._keys, self._spec = keys, spec
        self._decoder = None
        if schema is None:
            if message is not None or options:
                raise TypeError(f"{next(iter(options), 'message')}: needs schema=")
            return
        if spec is not None:
            raise TypeError("spec: cannot be combined with schema=, which defines the fields")
        if "where" in options or options.get("rows") is not None:
            raise TypeError("where: choose the rows after reading, rows[rows[...] > ...]")
        schema = as_schema(schema)
        self._decoder = schema.decoder(message, **options)
        self._unescape = Unescape(Messages(schema.to_descriptor_set()))

    def rows(self, children, place):
        names = [key for key, _ in children]
        if self._decoder is None:
            rows = self._inferred([value for _, value in children], names, place)
        else:
            names = [unescape_key(key) for key in names]
            rows, names = self._decoded([value for _, value in children], names, place)
        if self._keys is None:
            return rows
        if self._keys in rows.field_names():
            raise ValueError(f"{place.shown}: the rows have a field {self._keys} already; pass another name, keys=")
        keys = _strings(names)
        if not rows.field_names():
            return st.StructuredTensor.from_fields({self._keys: keys})
        return st.StructuredTensor.from_fields({self._keys: keys, **{name: rows[name] for name in rows.field_names()}})

    def _decoded(self, values, names, place):
        strings = [dumps(self._unescape.message(value, self._decoder.message)) for value in values]
        try:
            batch = self._decoder.decode("\n".join(strings).encode(), format="json")
        except st.DecodeError:
            for name, text in zip(names, strings):
                try:
                    self._decoder.decode(text.encode(), format="json")
                except st.DecodeError as error:
                    raise ValueError(f"{place.shown}, {name}: {error}") from error
            raise
        left_out = {error["message_index"] for error in batch.errors.to_py() if error["row"] is None}
        return batch, [name for i, name in enumerate(names) if i not in left_out]

    def _inferred(self, values, names, place):
        objects = [value if isinstance(value, dict) else {_VALUE: value} for value in values]
        lines = "\n".join(map(dumps, objects))
        try:
            rows = st.from_json(lines, self._spec, layout="lines")
        except ValueError as error:
            raise ValueError(f"{place.shown}: {error}; each line is a child, the first of them {names[0]}") from error
        return rows


def _strings(names):
    return st.constant(names) if names else st.constant(["x"])[:0]


def batches(
    url,
    schema=None,
    message=None,
    *,
    batch_size=1000,
    keys="_key_",
    spec=None,
    auth=None,
    access_token=None,
    timeout=60,
    retries=3,
    **options,
):
    """The children of a path, as an iterator over structured tensors. Only one batch is in memory at a time.

    url: the URL of the path, such as "https://kitchen.firebaseio.com/recipes". A query, such as "?ns=kitchen" of an emulator,
        is kept.
    schema, message: the message type of the rows; the database has its JSON. options are those of Schema.decoder(). Without a
        schema, columns are inferred as by st.from_json(). Children that are not objects become the field `_value_`.
    batch_size: the largest number of rows in a batch.
    keys: the name of the field with the keys. None: no such field.
    spec: without a schema, the StructuredTensorSpec of the rows without their keys. Default: inferred for each batch.
    auth: an ID token or a secret of the database. access_token: an OAuth 2.0 token.
    timeout: seconds for each request. retries: how often a request is repeated after a temporary error.

    Raises ValueError, with the path, for invalid URLs and sizes. Raises PermissionError, FileNotFoundError, TimeoutError,
    ConnectionError and OSError for errors of the database and the network.
    """
    if isinstance(batch_size, bool) or not isinstance(batch_size, int):
        raise TypeError(f"batch_size: expected an integer, found {batch_size!r}")
    if not 1 <= batch_size <= 1_000_000:
        raise ValueError(f"batch_size = {batch_size}; expected 1 to 1000000")
    place = Place(url, auth, access_token, timeout, retries)
    reader = _Reader(schema, message, _checked(keys), spec, options)
    return (reader.rows(page, place) for page in _pages(place, batch_size))


def read(
    url, schema=None, message=None, *, keys="_key_", spec=None, auth=None, access_token=None, timeout=60, retries=3, **options
):
    """The children of a path, as one structured tensor, in one request. The options are those of batches()."""
    place = Place(url, auth, access_token, timeout, retries)
    reader = _Reader(schema, message, _checked(keys), spec, options)
    return reader.rows(_children(place.request("GET"), place), place)


def _checked(keys):
    if keys is not None and (not isinstance(keys, str) or not keys):
        raise TypeError(f"keys: expected the name of a field or None, found {keys!r}")
    return keys


class _Writer:
    """From rows to children."""

    def __init__(self, schema, message, keys, place):
        self._schema = None if schema is None else as_schema(schema)
        if schema is None and message is not None:
            raise TypeError("message: needs schema=")
        self._message, self._keys, self._place = message, keys, place
        self._count, self._seen = 0, set()
        if self._schema is not None:
            self._name = self._schema.resolve(message) if message is not None else self._schema.decoder().message
            self._escape = Escape(Messages(self._schema.to_descriptor_set()))

    def children(self, rows):
        """The keys and trees of some rows."""
        if not isinstance(rows, st.StructuredTensor):
            raise TypeError(f"rows: expected a StructuredTensor or an iterable of them, found {rows!r}")
        if len(rows.shape) != 1:
            raise ValueError(f"rows: expected a StructuredTensor of rank 1, found shape {rows.shape}")
        names = self._names_of(rows)
        if self._keys in rows.field_names():
            rows = rows.with_updates({self._keys: None}) if len(rows.field_names()) > 1 else None
        if rows is None:
            trees = ["%{}" if self._schema is not None else {} for _ in names]
        elif self._schema is not None:
            trees = [
                self._escape.message(loads(text), self._name) for text in rows.to_protobuf_json(self._schema, self._message)
            ]
        else:
            trees = [self._plain(tree) for tree in loads(rows.to_json())]
        for name, tree in zip(names, trees):
            found = _problem(tree, self._place.depth + 2)
            if found is not None:
                path = found[0] if len(found[0]) < 200 else f"{found[0][:200]}..."
                raise ValueError(f"row {self._count}, {name}{path}: {found[1]}")
            self._count += 1
        return zip(names, trees)

    def _names_of(self, rows):
        if self._keys is None:
            return [str(i) for i in range(self._count, self._count + len(rows))]
        if self._keys not in rows.field_names():
            raise KeyError(
                f"keys: the rows have no field {self._keys}; name the field with the keys, or pass keys=None to number them"
            )
        names = rows[self._keys].to_py()
        for i, name in enumerate(names, self._count):
            if isinstance(name, int) and not isinstance(name, bool):
                name = names[i - self._count] = str(name)
            if not isinstance(name, str):
                raise ValueError(f"row {i}: expected a key, found {name!r} in {self._keys}")
            if self._schema is not None:
                name = names[i - self._count] = escape_key(name)
            try:
                check_key(name)
            except ValueError as error:
                raise ValueError(f"row {i}: {error}") from None
            if name in self._seen:
                raise ValueError(f"row {i}: the key {name!r} is already the key of another row")
            self._seen.add(name)
        return names

    def _plain(self, tree):
        return tree[_VALUE] if tree.get(_VALUE) is not None else {key: part for key, part in tree.items() if key != _VALUE}


def _problem(tree, depth):
    """(path, problem) for a part of a tree that the database cannot hold: a key, a level, or an integer that is not exact as a
    double. None if there is none."""
    if isinstance(tree, (dict, list)):
        if tree and depth > _MAX_DEPTH:
            return "", f"the database has {_MAX_DEPTH} levels, and this is deeper"
        named = isinstance(tree, dict)
        for key, part in tree.items() if named else enumerate(tree):
            if named:
                try:
                    check_key(key)
                except ValueError as error:
                    return "", str(error)
            found = _problem(part, depth + 1) if isinstance(part, (dict, list, int)) else None
            if found is not None:
                step = f".{key}" if named else f"[{key}]"
                return step + found[0], found[1]
    elif isinstance(tree, int) and abs(tree) > 1 << 53:
        return "", f"{tree} would lose digits; write it as text, by st.strings.as_string(), or with a schema"
    return None


def write(
    url,
    rows,
    schema=None,
    message=None,
    *,
    keys="_key_",
    mode="update",
    auth=None,
    access_token=None,
    timeout=60,
    retries=3,
    max_bytes=800_000,
):
    """Writes rows as children of a path. Returns the number of rows.

    url, auth, access_token, timeout, retries: as in batches().
    rows: a StructuredTensor of rank 1, or an iterable of them.
    schema, message: the message type of the rows. They are written as its JSON, and nothing is lost. Without a schema, rows are
        written as to_json() shows them, and the database drops absent and empty parts; docs/databases.md lists them.
    keys: the field with the keys, which are strings or integers. None: the keys are 0, 1, 2, ...
    mode: "update" replaces the children with the keys of the rows. "replace" first removes all children of the path.
    max_bytes: the largest size of a request. A single row may not be larger. Each request is written whole or not at all. If a
        request fails, the requests before it stay written.

    Raises ValueError, with the row, for keys that the database does not accept, for trees of more than 32 levels, and for two
    rows with the same key. Raises the errors of batches(), too.
    """
    if mode not in ("update", "replace"):
        raise ValueError(f"mode = {mode!r}; expected 'update' or 'replace'")
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
        raise TypeError(f"max_bytes: expected an integer, found {max_bytes!r}")
    if not 1 <= max_bytes <= 256 << 20:
        raise ValueError(f"max_bytes = {max_bytes}; expected 1 to {256 << 20}, which is the limit of the database")
    place = Place(url, auth, access_token, timeout, retries)
    writer = _Writer(schema, message, _checked(keys), place)
    method, written, held, size = "PUT" if mode == "replace" else "PATCH", 0, {}, 2
    for batch in [rows] if isinstance(rows, st.StructuredTensor) else rows:
        for name, tree in writer.children(batch):
            row_size = len(dumps(name)) + len(dumps(tree)) + 2
            if row_size + 2 > max_bytes:
                raise ValueError(f"row {written + len(held)}, {name}: it has {row_size} bytes; max_bytes is {max_bytes}")
            if held and size + row_size > max_bytes:
                place.request(method, held, print="silent")
                method, written, held, size = "PATCH", written + len(held), {}, 2
            held[name] = tree
            size += row_size
    if held or method == "PUT":
        place.request(method, held, print="silent")
    return written + len(held)
