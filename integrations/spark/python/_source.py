"""The data source of spark.read.format("structtensor")."""

import structtensor as st
from pyspark.sql.datasource import DataSource

from . import _options
from ._fields import arrow_schema_of
from ._reader import DEAD_LETTERS, Reader, narrowed
from ._types import arrow_schema, check_projection, struct_type


class StructtensorSource(DataSource):
    """Files of messages as tables of Spark: docs/distributed.md has the options."""

    @classmethod
    def name(cls):
        return "structtensor"

    def _scan(self):
        """The scan that the options describe."""
        _options.check_names(self.options, (*_options.READ_OPTIONS, *_options.SCHEMA_OPTIONS), "of reading")
        arguments = _options.scan_options_of(self.options)
        if _options.mode_of(self.options) == "dead_letters":
            if arguments.get("on_error", "skip") != "skip":
                raise ValueError("mode = dead_letters gives the messages that on_error = skip leaves out; leave on_error away")
            arguments["on_error"] = "skip"
        schema = _options.schema_of(self.options)
        return st.scan(_options.paths_of(self.options), schema, message=self.options.get("message"), **arguments)

    def schema(self):
        if _options.mode_of(self.options) == "dead_letters":
            arrow_schema_of(self._scan())  # raises an error if other options are invalid
            return struct_type(DEAD_LETTERS)
        return struct_type(arrow_schema_of(self._scan()))

    def _scan_of(self, schema):
        """The scan that reads the columns of a StructType, and their Arrow schema."""
        scan, wanted = self._scan(), arrow_schema(schema)
        if _options.mode_of(self.options) == "dead_letters":
            if wanted != DEAD_LETTERS:
                raise ValueError("mode = dead_letters has columns of its own; leave .schema() away")
            return scan, wanted
        whole = arrow_schema_of(scan)
        if wanted.equals(whole):
            return scan, wanted
        check_projection(whole, wanted)
        return narrowed(scan, wanted), wanted

    def reader(self, schema):
        scan, wanted = self._scan_of(schema)
        return Reader(scan, wanted, self.options)

    def streamReader(self, schema):
        from ._stream import StreamReader

        scan, wanted = self._scan_of(schema)
        return StreamReader(scan, wanted, self.options)

    def writer(self, schema, overwrite):
        from ._writer import Writer

        return Writer(self.options, schema, overwrite)
