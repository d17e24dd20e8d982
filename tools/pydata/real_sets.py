"""The real data sets of the tests and benchmarks. STRUCTTENSOR_DATA names their folder. If it is not set, there are none."""

import dataclasses
import os
import pathlib

NO_DATA = "no real data: set STRUCTTENSOR_DATA to the folder with the data sets"

# {name of the set and of its folder: (file of delimited messages, message type)}
_SETS = {
    "google_message1_proto2": ("messages.bin", "benchmarks.proto2.GoogleMessage1"),
    "google_message1_proto3": ("messages.bin", "benchmarks.proto3.GoogleMessage1"),
    "google_message2": ("messages.bin", "benchmarks.proto2.GoogleMessage2"),
    "gtfsrt_nyct": ("entities.bin", "transit_realtime.FeedEntity"),
    "otlp_traces_astronomy": ("messages.bin", "opentelemetry.proto.trace.v1.TracesData"),
    "pprof": ("messages.bin", "perftools.profiles.Profile"),
    "tfexample_taxi": ("messages.bin", "tensorflow.Example"),
}
NAMES = tuple(_SETS)


class MissingSet(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class RealSet:
    name: str
    messages: pathlib.Path  # a file of delimited messages
    descriptor_set: pathlib.Path
    message: str  # the full name of the message type


def data_folder():
    """Returns the folder that STRUCTTENSOR_DATA names, or None if the variable is not set."""
    folder = os.environ.get("STRUCTTENSOR_DATA")
    return pathlib.Path(folder).resolve() if folder else None


def find(name):
    """Returns the RealSet with this name. Raises MissingSet, which gives the reason, if there is none."""
    folder = data_folder()
    if folder is None:
        raise MissingSet(f"real data set {name} is missing: STRUCTTENSOR_DATA is not set")
    file, message = _SETS[name]
    found = RealSet(name, folder / name / file, folder / name / "descriptor_set.pb", message)
    if not found.messages.is_file() or not found.descriptor_set.is_file():
        raise MissingSet(f"real data set {name} is missing: it is not in {folder}")
    return found
