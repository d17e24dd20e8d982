"""Means of the times that spans take, by name, with Dask: each split of a scan is a partition of the data frame.

    python examples/distributed/dask_spans.py DESCRIPTOR_SET FILES...
"""

import argparse
import pathlib

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import structtensor as st

MESSAGE = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"


def frame_of(split):
    """The rows of a split as a data frame of pandas, with Arrow's types. A function of a module, so that workers find it."""
    return pa.table(split).to_pandas(types_mapper=pd.ArrowDtype)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor_set", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args(arguments)
    schema = st.Schema.from_descriptor_set(arguments.descriptor_set.read_bytes(), MESSAGE)
    scan = st.scan(arguments.files, schema, rows="resource_spans.scope_spans.spans", format="delimited")
    scan = scan.select("name", "start_time_unix_nano", "end_time_unix_nano")
    meta = pa.schema(scan).empty_table().to_pandas(types_mapper=pd.ArrowDtype)  # so that Dask reads nothing to find it out
    spans = dd.from_map(frame_of, scan.splits(), meta=meta)
    spans["nanoseconds"] = spans["end_time_unix_nano"] - spans["start_time_unix_nano"]
    means = spans.groupby("name")["nanoseconds"].mean().compute().sort_index()
    for name, mean in means.items():
        print(f"{name}\t{mean:.1f}")
    return means


if __name__ == "__main__":
    main()
