"""The data sets, repeated until there is enough of them: real data, read in place, and two sets that a program makes."""

import dataclasses
import typing

import made_sets


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    folder: str  # below STRUCTTENSOR_DATA
    file: str
    message: str
    proto: str  # the file below `folder` that declares the type, for programs that read no descriptors
    make: typing.Callable | None = None  # writes all of these files into a folder; `folder` and `file` do not matter then
    formats: tuple = ("parquet", "arrow", "pb")

    def files(self, data_folder, scratch_folder):
        """Returns the folder with the files, which are made below `scratch_folder` if that is how the set comes about."""
        if self.make is None:
            return Files(data_folder / self.folder, self.file)
        folder = scratch_folder / self.name
        folder.mkdir()
        self.make(folder)
        return Files(folder, made_sets.MESSAGES)


class Files(typing.NamedTuple):
    folder: typing.Any
    file: str

    @property
    def data(self):
        return self.folder / self.file

    @property
    def descriptor_set(self):
        return self.folder / "descriptor_set.pb"


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
    Set("events", "", "", "bench.Event", "event.proto", made_sets.make_events),
    # Arrow files without compression have 8 bytes for each absent value, which makes 500 times as much as the messages.
    Set("wide", "", "", "bench.Wide", "wide.proto", made_sets.make_wide, ("parquet", "pb")),
)
