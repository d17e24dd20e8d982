"""Converts the options of the data source, which are strings in Spark, to arguments of structtensor.scan()."""

import json
import pathlib

import structtensor as st
from structtensor import _options

SCHEMA_OPTIONS = ("proto", "import_dirs", "descriptor_set", "message", "annotations")
_OF_READERS = ("path", "paths", "batch_size", "batch_bytes", "partitions", "mode", "max_files")
# The options of st.scan(), as the list of options describes them.
_OF_SCANS = {row["spark"]: row for row in _options.TABLE if row["spark"] and row["spark"] not in _OF_READERS}
READ_OPTIONS = (*_OF_READERS, *_OF_SCANS)
WRITE_OPTIONS = ("path", "record_format", "ignore_extra_fields")
MODES = ("rows", "dead_letters")


def list_of(name, text):
    """A list of strings: separated by commas, or as JSON if a string contains a comma: ["a", "/b{1,2}/"]."""
    text = text.strip()
    if not text.startswith('["'):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        parts = json.loads(text)
    except ValueError as error:
        raise ValueError(f"option {name}: it begins like a JSON list but is not valid JSON: {error}") from None
    if not all(isinstance(part, str) for part in parts):
        raise ValueError(f"option {name}: expected a list of strings, found {text}")
    return parts


def batch_size_of(options, name):
    """batch_size or batch_bytes, or None. On executors, which read the batches, an error would be late."""
    if name not in options:
        return None
    number = number_of(name, options[name])
    [row] = [row for row in _options.TABLE if row["spark"] == name]
    if not row["least"] <= number <= row["greatest"]:
        raise ValueError(f"option {name}={number}: expected {_options.range_of(row)}")
    return number


def number_of(name, text, least=None):
    """The number that the text writes. st.scan() checks the range of its own arguments."""
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"option {name}={text!r}: expected an integer") from None
    if least is not None and number < least:
        raise ValueError(f"option {name}={number}: expected {least} or more")
    return number


def flag_of(name, text):
    if text.lower() not in ("true", "false"):
        raise ValueError(f"option {name}={text!r}: expected true or false")
    return text.lower() == "true"


def word_of(name, text):
    words = _OF_SCANS[name]["words"]
    if text not in words:
        raise ValueError(f"option {name}={text!r}: expected one of {', '.join(words)}")
    return text


def check_names(options, allowed, what):
    """Raises ValueError for an option that is not in `allowed`. `what` is for the message."""
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise ValueError(f"structtensor has no option {', '.join(unknown)} {what}; there are {', '.join(sorted(allowed))}")


def schema_of(options):
    """The st.Schema that the options name. Its files are read here, on the driver. Executors get the schema itself."""
    message = options.get("message")
    if ("proto" in options) == ("descriptor_set" in options):
        raise ValueError("structtensor needs a schema: give one of the options proto and descriptor_set")
    if "proto" in options:
        folders = list_of("import_dirs", options["import_dirs"]) if "import_dirs" in options else None
        schema = st.Schema.from_proto(list_of("proto", options["proto"]), folders, message)
    else:
        if "import_dirs" in options:
            raise ValueError("option import_dirs needs the option proto")
        schema = st.Schema.from_descriptor_set(pathlib.Path(options["descriptor_set"]).read_bytes(), message)
    if "annotations" in options:
        schema = schema.with_annotations(pathlib.Path(options["annotations"]).read_text(), options["annotations"])
    return schema


def paths_of(options):
    """The paths of load(): one path, or several as JSON."""
    paths = json.loads(options["paths"]) if "paths" in options else []
    if "path" in options:
        paths.append(options["path"])
    if not paths:
        raise ValueError('structtensor needs a path: spark.read.format("structtensor").load(path)')
    # Hadoop writes /x as file:/x or file:///x.
    return ["/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:") else path for path in paths]


def scan_options_of(options):
    """The arguments of structtensor.scan() other than paths, schema and message."""
    values = {"flag": flag_of, "number": number_of, "patterns": list_of, "word": word_of}
    arguments = {}
    for name, row in _OF_SCANS.items():
        if name in options:
            kind = row["type"]
            arguments[row["keyword"]] = values[kind](name, options[name]) if kind in values else options[name]
    return {**arguments, "timestamps": "us"}


def mode_of(options):
    mode = options.get("mode", "rows")
    if mode not in MODES:
        raise ValueError(f"option mode={mode!r}: expected one of {', '.join(MODES)}")
    return mode
