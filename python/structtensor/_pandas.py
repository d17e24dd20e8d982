"""To pandas, by way of pyarrow."""


def _pyarrow():
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("to_pandas() needs pyarrow: pip install pyarrow") from error
    return pyarrow


def table_to_pandas(self, **options):
    """The rows as a DataFrame. `options` are those of pyarrow.Table.to_pandas()."""
    if self.rank != 1:
        raise ValueError(f"a table has rank 1, not {self.rank}; merge or take off axes first")
    return _pyarrow().table(self).to_pandas(**options)


def array_to_pandas(self, **options):
    """The rows as a Series; those of ragged tensors are arrays. `options` are those of pyarrow.Array.to_pandas()."""
    return _pyarrow().array(self).to_pandas(**options)
