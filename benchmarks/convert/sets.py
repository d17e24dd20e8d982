"""The data sets: real data, read in place and repeated until there is enough of it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    folder: str  # below STRUCTTENSOR_DATA
    file: str
    message: str
    proto: str  # the file below `folder` that declares the type, for programs that read no descriptors

    def data(self, data_folder):
        return data_folder / self.folder / self.file

    def descriptor_set(self, data_folder):
        return data_folder / self.folder / "descriptor_set.pb"


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
