"""Which structs are there."""

from . import _core


def of_structs(rows):
    """For each struct of rank 1 whether it is there, as an array of NumPy; None if its spec says that all are."""
    if not rows.nullable:
        return None
    around = _core.StructuredTensor.from_fields({"struct": rows})
    return around.has("struct", "there")["there"].to_numpy()
