"""The functions of strings under their names in tf.strings. They are the functions of the package."""

from . import as_string
from . import string_ends_with as ends_with
from . import string_join as join
from . import string_length as length
from . import string_lower as lower
from . import string_reduce_join as reduce_join
from . import string_regex_full_match as regex_full_match
from . import string_regex_replace as regex_replace
from . import string_split as split
from . import string_starts_with as starts_with
from . import string_strip as strip
from . import string_substr as substr
from . import string_upper as upper

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
