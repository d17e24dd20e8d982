"""Messages in Spark: docs/engines.md.

    spark.read.format("structtensor").option("proto", "trace.proto").option("message", "Span").load("logs/")
    structtensor.spark.decode(frame, "value", schema)      # binary columns, such as Kafka's, to columns of structs
    structtensor.spark.encode(frame, "value", schema)      # and back

The data source itself is pyspark_structtensor.DefaultSource, which Spark 4 finds by its name.
"""

from ._columns import decode, encode

__all__ = ["decode", "encode"]
