"""Trees of Firebase's Realtime Database as structured tensors, and back, through its REST interface.

    import structtensor.firebase

    rows = structtensor.firebase.read("https://kitchen.firebaseio.com/recipes", schema=schema, message="Recipe")
    structtensor.firebase.write("https://kitchen.firebaseio.com/recipes", rows, schema=schema, message="Recipe")

The children of the path are the rows. Their keys are the field `_key_`. docs/databases.md says what is kept and what is lost.
"""

from ._rows import batches, read, write

__all__ = ["batches", "read", "write"]
