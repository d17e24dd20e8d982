"""The real sets of STRUCTTENSOR_DATA that all tests in Python know."""

# Of each real set, the file of messages and their type.
REAL_SETS = {
    "google_message1_proto2": ("messages.bin", "benchmarks.proto2.GoogleMessage1"),
    "google_message1_proto3": ("messages.bin", "benchmarks.proto3.GoogleMessage1"),
    "google_message2": ("messages.bin", "benchmarks.proto2.GoogleMessage2"),
    "gtfsrt_nyct": ("entities.bin", "transit_realtime.FeedEntity"),
    "otlp_traces_astronomy": ("messages.bin", "opentelemetry.proto.trace.v1.TracesData"),
    "pprof": ("messages.bin", "perftools.profiles.Profile"),
    "tfexample_taxi": ("messages.bin", "tensorflow.Example"),
}
