"""The exception that is not Python's own, and what Python's own become on the way."""


def with_text(error, text):
    """A plain exception of the same kind. Subclasses, such as UnicodeEncodeError, may not be made of a text."""
    for kind in (OverflowError, NotImplementedError, TypeError):
        if isinstance(error, kind):
            return kind(text)
    return ValueError(text)


class DecodeError(ValueError):
    """A message that cannot be decoded, or bytes that are no messages.

    row   number of the message: in the list, the column or the file; None if it is not about one message
    byte  where in the message
    path  of the field, "a.b.c"; "" for the message itself
    """

    def __init__(self, text, row=None, byte=None, path=""):
        super().__init__(text)
        self.row = row
        self.byte = byte
        self.path = path

    def __reduce__(self):
        return DecodeError, (str(self), self.row, self.byte, self.path)
