"""The packages of distributed engines are imported on demand."""

import subprocess
import sys

import pytest

PACKAGES = ("pyspark", "ray", "apache_beam", "dask", "pyarrow", "pandas")


@pytest.mark.parametrize("name", ["spark", "ray"])
def test_integrations_are_imported_when_they_are_used(name):
    pytest.importorskip("pyspark" if name == "spark" else "ray", reason=f"what structtensor.{name} is for is not installed")
    code = f"""
import sys
import structtensor as st
assert not {set(PACKAGES)!r} & set(sys.modules)
assert st.{name} is sys.modules["structtensor.{name}"]
assert "pyarrow" in sys.modules
try:
    st.nothing
except AttributeError as error:
    assert str(error) == "module 'structtensor' has no attribute 'nothing'"
else:
    raise AssertionError("there is no structtensor.nothing")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
