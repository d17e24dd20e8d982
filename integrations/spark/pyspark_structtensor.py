"""Spark 4 imports every module whose name begins with pyspark_, and uses its DefaultSource as a data source."""

from structtensor.spark._source import StructtensorSource


class DefaultSource(StructtensorSource):
    pass
