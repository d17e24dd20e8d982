"""Spark 4 imports each module whose name begins with pyspark_, and takes its DefaultSource as a format of data."""

from structtensor.spark._source import StructtensorSource


class DefaultSource(StructtensorSource):
    pass
