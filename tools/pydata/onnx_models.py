#!/usr/bin/env python3
"""Collects the models in the installed onnx package (its test data) in a varint-delimited file of onnx.ModelProto messages,
sorted by path. Prints the folder that protoc needs as the import path of onnx/onnx.proto."""

import argparse
import pathlib
import sys

import onnx
from google.protobuf.message import DecodeError

import framing


def is_model(data):
    """Whether the bytes are a model. Test inputs (TensorProtos) often parse as a ModelProto, too, but have no graph."""
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        return False
    return model.HasField("graph") and len(model.graph.node) > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", metavar="FILE", help="write the models to FILE")
    arguments = parser.parse_args()

    package = pathlib.Path(onnx.__file__).parent
    if arguments.models:
        files = sorted(path for path in package.rglob("*") if path.suffix in (".onnx", ".pb"))
        models = [data for data in (path.read_bytes() for path in files) if is_model(data)]
        if not models:
            sys.exit(f"onnx_models.py: no model was found among the {len(files)} .onnx and .pb files below {package}")
        with framing.replacing(arguments.models) as output:
            output.write(framing.frame_delimited(models))
        size_mb = sum(map(len, models)) / 1e6
        print(f"collected {len(models):,} models ({size_mb:.1f} MB) of the onnx package: {arguments.models}", file=sys.stderr)
    print(package.parent)


if __name__ == "__main__":
    main()
