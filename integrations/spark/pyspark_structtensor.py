"""Spark 4 imports each module whose name begins with pyspark_ and takes its DefaultSource: so the format "structtensor" is there."""

from structtensor.spark._source import StructtensorSource


class DefaultSource(StructtensorSource):
    pass
