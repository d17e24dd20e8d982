"""SimpleMaskedTensor and SimpleMaskedTensorSpec, the document's example. Their code is in docs/own_types.md alone."""

import pathlib
import re

_PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "own_types.md"
_CODE = re.compile(r"^```python\n((?!>>> ).*?)^```$", re.MULTILINE | re.DOTALL)


def _code():
    """The imports of the page, and the code in the section of the example."""
    introduction, section, *_ = re.split(r"^## ", _PAGE.read_text(), flags=re.MULTILINE)
    assert section.startswith("SimpleMaskedTensor\n")
    return "\n".join(_CODE.findall(introduction) + _CODE.findall(section))


exec(compile(_code(), _PAGE, "exec"))  # in this module, where pickles find the classes
