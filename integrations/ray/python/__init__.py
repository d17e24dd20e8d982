"""Messages in Ray Data: docs/distributed.md.

    structtensor.ray.read("logs/", proto="trace.proto", message="Span", select=["name", "start"])
"""

from ._read import MessageDatasource, read

__all__ = ["MessageDatasource", "read"]
