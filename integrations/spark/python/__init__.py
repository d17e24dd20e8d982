"""Messages in Spark: docs/distributed.md.

    spark.read.format("structtensor").option("proto", "trace.proto").option("message", "Span").load("logs/")
    structtensor.spark.decode(frame, "value", schema)      # from binary columns, such as Kafka's, to columns of structs
    structtensor.spark.encode(frame, "value", schema)      # and back

The data source is pyspark_structtensor.DefaultSource. Spark 4 finds it by this name.
"""

from ._columns import decode, encode

__all__ = ["decode", "encode"]
