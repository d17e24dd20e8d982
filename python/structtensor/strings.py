"""Functions of strings and bytes, under their names in tf.strings."""

from ._functions import as_string
from ._functions import string_ends_with as ends_with
from ._functions import string_join as join
from ._functions import string_length as length
from ._functions import string_lower as lower
from ._functions import string_reduce_join as reduce_join
from ._functions import string_regex_full_match as regex_full_match
from ._functions import string_regex_replace as regex_replace
from ._functions import string_split as split
from ._functions import string_starts_with as starts_with
from ._functions import string_strip as strip
from ._functions import string_substr as substr
from ._functions import string_upper as upper

__all__ = [
    "as_string",
    "ends_with",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "starts_with",
    "strip",
    "substr",
    "upper",
]
