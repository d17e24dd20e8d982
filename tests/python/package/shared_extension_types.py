"""Extension types that several tests use."""

from typing import Optional, Tuple

import structtensor as st


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor
    shape = property(lambda self: self.values.shape)


class Named(Masked):
    name: str = "x"


class Node(st.ExtensionType):
    value: st.Tensor
    children: Tuple["Node", ...] = ()


class Wrapped(st.ExtensionType):
    inner: Optional["Wrapped"] = None


class OfTensor(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: self.v.shape)


class WithoutShape(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: None)


class Scalar(st.BatchableExtensionType):
    value: st.Tensor
    structs: st.StructuredTensor
