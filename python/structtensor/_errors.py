"""The package's own exception, the conversion of Python's exceptions, and the errors of several functions."""


def with_text(error, text):
    """A plain exception of the same kind. Some subclasses, such as UnicodeEncodeError, cannot be made from a text."""
    for kind in (OverflowError, NotImplementedError, TypeError):
        if isinstance(error, kind):
            return kind(text)
    return ValueError(text)


def check_rows(structs, function, instead=""):
    """Raises ValueError unless the structs have one axis. instead: what else the function takes, if they have more."""
    if structs.rank == 1:
        return
    advice = "structtensor.expand_dims(struct, 0) makes one row of a struct"
    if structs.rank > 1:
        advice = f"structtensor.merge_dims(structs, 0, -1) makes each struct a row{instead}"
    raise ValueError(f"{function}(): expected structs of rank 1, found rank {structs.rank}; {advice}")


class DecodeError(ValueError):
    """A message that cannot be decoded, or bytes that are not messages.

    message_index  the number of the message in the list, the column or the file; None if the error is not about one message
    byte           the position in the message
    path           the path of the field, "a.b.c", or the key of the feature of a tf.Example; "" for the message itself
    code           why, as a word that does not change: "truncated", "invalid_utf8" (docs/formats.md has all); "" if the error
                   is not about one message
    """

    __module__ = "structtensor"  # as tracebacks show it

    def __init__(self, text, message_index=None, byte=None, path="", code=""):
        super().__init__(text)
        self.message_index = message_index
        self.byte = byte
        self.path = path
        self.code = code

    def __reduce__(self):
        return DecodeError, (str(self), self.message_index, self.byte, self.path, self.code)
