"""Which structs are present."""

from . import _core


def of_structs(rows):
    """For each struct of rank 1, whether it is present, as a NumPy array; None if its spec says that none can be absent."""
    if not rows.nullable:
        return None
    around = _core.StructuredTensor.from_fields({"struct": rows})
    return around.has("struct", "there")["there"].to_numpy()
