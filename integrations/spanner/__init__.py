"""Spanner's tables and query results as structured tensors, and back.

    import structtensor.spanner

    rows = structtensor.spanner.read("projects/p/instances/i/databases/d", "SELECT * FROM Recipes", schema=schema)
    structtensor.spanner.write("projects/p/instances/i/databases/d", "Recipes", rows, schema=schema)

docs/databases.md has a table of what each type becomes.
"""

from ._read import batches, read
from ._write import WriteError, write

__all__ = ["WriteError", "batches", "read", "write"]
