"""The data sets: real data, read in place and repeated until there is enough of it, and sets that a program makes."""

import dataclasses
import pathlib
import typing

import made_sets

FORMATS = ("parquet", "arrow", "pb")


class Files(typing.NamedTuple):
    folder: pathlib.Path  # where programs that read no descriptors find the .proto files
    data: pathlib.Path
    descriptor_set: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    folder: str  # below STRUCTTENSOR_DATA
    file: str
    message: str
    proto: str  # the file below `folder` that declares the type, for programs that read no descriptors
    formats = FORMATS

    def files(self, data_folder, _scratch_folder, _megabytes):
        return Files(data_folder / self.folder, self.data(data_folder), self.descriptor_set(data_folder))

    def data(self, data_folder):
        return data_folder / self.folder / self.file

    def descriptor_set(self, data_folder):
        return data_folder / self.folder / "descriptor_set.pb"


@dataclasses.dataclass(frozen=True)
class MadeSet:
    name: str
    message: str
    proto: str
    make: typing.Callable  # (folder, size_bytes): writes the messages, the descriptor set and the .proto file into the folder
    formats: tuple = FORMATS

    def files(self, _data_folder, scratch_folder, megabytes):
        folder = scratch_folder / self.name
        folder.mkdir()
        self.make(folder, megabytes * 1e6)
        return Files(folder, folder / made_sets.MESSAGES, folder / made_sets.DESCRIPTOR_SET)


SETS = (
    Set(
        "otlp",
        "otlp_traces_astronomy",
        "messages.bin",
        "opentelemetry.proto.trace.v1.TracesData",
        "opentelemetry/proto/trace/v1/trace.proto",
    ),
    Set("tfexample", "tfexample_taxi", "messages.bin", "tensorflow.Example", "tensorflow/core/example/example.proto"),
    Set("gtfsrt", "gtfsrt_nyct", "entities.bin", "transit_realtime.FeedEntity", "gtfs-realtime.proto"),
    Set("pprof", "pprof", "messages.bin", "perftools.profiles.Profile", "profile.proto"),
)

MADE_SETS = (
    MadeSet("events", "bench.Event", "event.proto", made_sets.make_events),
    # Arrow files without compression have about 5 bytes for each absent value, 500 times as much as the messages.
    MadeSet("wide", "bench.Wide", "wide.proto", made_sets.make_wide, ("parquet", "pb")),
)
