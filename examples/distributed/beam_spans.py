"""Counts spans by name with Apache Beam: each split of a scan is an element, and workers read them.

    python examples/distributed/beam_spans.py DESCRIPTOR_SET FILES... --output names.txt [options of Beam's runner]
"""

import argparse
import pathlib

import apache_beam as beam
import structtensor as st
from apache_beam.options.pipeline_options import PipelineOptions

MESSAGE = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"


def rows_of(split):
    """The rows of a split, as dicts. To work with columns, use the batches themselves."""
    for batch in split.batches():
        yield from batch.to_py()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor_set", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--output", required=True)
    arguments, of_the_runner = parser.parse_known_args(arguments)
    schema = st.Schema.from_descriptor_set(arguments.descriptor_set.read_bytes(), MESSAGE)
    scan = st.scan(arguments.files, schema, rows="resource_spans.scope_spans.spans", select=["name"], format="delimited")
    with beam.Pipeline(options=PipelineOptions(of_the_runner)) as pipeline:
        (
            pipeline
            | beam.Create(scan.splits())
            | beam.Reshuffle()  # so that the splits go to several workers
            | beam.FlatMap(rows_of)
            | beam.Map(lambda span: span["name"])
            | beam.combiners.Count.PerElement()
            | beam.MapTuple(lambda name, count: f"{name}\t{count}")
            | beam.io.WriteToText(arguments.output, shard_name_template="")
        )


if __name__ == "__main__":
    main()
