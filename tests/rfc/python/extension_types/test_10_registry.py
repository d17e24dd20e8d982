"""Names of types: register_type_spec()."""

import pytest
from promises import promise

import structtensor as st

from .plain_types import MaskedTensorSpec


def spec_class(name):
    """A new class of specs."""
    members = {key: vars(MaskedTensorSpec)[key] for key in ("serialize", "to_components", "from_components", "__init__")}
    members |= {key: vars(MaskedTensorSpec)[key] for key in ("component_specs", "value_type")}
    return type(name, (st.TypeSpec,), members)


def annotated(name, **body):
    return type(name, (st.ExtensionType,), {"__annotations__": {"values": st.Tensor}, "__module__": __name__, **body})


@promise(
    "TypeSpec Registry",
    "`register_type_spec(type_spec_subclass, name)` gives a class of specs a name that no other one has",
    python='st.register_type_spec(MaskedTensorSpec, "my.MaskedTensor")',
    cpp="TypeRegistry::Register()",
    tensorflow="class attribute `__name__`",
    differs="`st.type_spec_name` and `st.lookup_type_spec` ask for it",
)
def test_names_are_registered():
    spec = spec_class("FirstSpec")
    st.register_type_spec(spec, name="registry.First")
    assert st.type_spec_name(spec) == "registry.First" and st.lookup_type_spec("registry.First") is spec
    st.register_type_spec(spec, "registry.First")  # the same once more
    cls = annotated("Second")
    st.register_type_spec(cls.Spec, name="registry.Second")
    assert st.type_spec_name(cls) == st.type_spec_name(cls.Spec) == "registry.Second"
    assert st.lookup_type_spec("registry.Second") is cls.Spec
    with pytest.raises(KeyError):
        st.lookup_type_spec("registry.Nothing")


@promise(
    "TypeSpec Registry",
    "Without a name, it is the name of the class",
    python="st.register_type_spec(MaskedTensorSpec)",
    cpp="TypeRegistry::Register()",
    differs="For a class of annotated fields, the name is that of the type, because its spec's class is called `Spec`",
)
def test_the_default_is_the_name_of_the_class():
    spec = spec_class("WithoutAName")
    st.register_type_spec(spec)
    assert st.type_spec_name(spec) == "WithoutAName"
    cls = annotated("AnnotatedWithoutAName")
    st.register_type_spec(cls.Spec)
    assert st.type_spec_name(cls) == "AnnotatedWithoutAName"


@promise(
    "TypeSpec Registry",
    "A name that another class has is a ValueError",
    python="st.register_type_spec(OtherSpec, taken)",
    cpp="TypeRegistry::Register()",
)
def test_taken_names():
    st.register_type_spec(spec_class("Taken"), "registry.Taken")
    for other in (spec_class("Other"), annotated("AnnotatedOther")):
        with pytest.raises(ValueError, match="registry.Taken"):
            st.register_type_spec(other, "registry.Taken")
    with pytest.raises(ValueError, match="registry.Taken"):
        annotated("Another", __name__="registry.Taken")


@promise(
    "TypeSpec Registry",
    "Another name for a class that has one is a ValueError",
    python="st.register_type_spec(MaskedTensorSpec, other)",
    cpp="TypeRegistry::Register()",
)
def test_other_names():
    for cls in (spec_class("Renamed"), annotated("AnnotatedRenamed")):
        st.register_type_spec(cls, f"registry.{cls.__name__}")
        with pytest.raises(ValueError, match="registry.*Renamed"):
            st.register_type_spec(cls, "registry.OtherName")


@promise(
    "TypeSpec Registry",
    "Concrete classes of specs are registered, and nothing else",
    python="st.register_type_spec(type_spec_subclass)",
    cpp="TypeRegistry::Register()",
)
def test_what_cannot_be_registered():
    for other in (
        st.TypeSpec,
        st.StackableTypeSpec,
        st.TensorSpec,
        MaskedTensorSpec([1], "int64"),
        st.ExtensionType,
        int,
        None,
    ):
        with pytest.raises(TypeError):
            st.register_type_spec(other, "registry.Wrong")
    for name in ("not a name", ""):
        with pytest.raises(ValueError):
            st.register_type_spec(spec_class("Wrong"), name)


@promise(
    "TypeSpec Registry",
    "Types are registered before they are saved",
    python="st.type_spec_name(MaskedTensorSpec)",
    cpp="TypeRegistry::Register()",
    differs="A type that is not registered has the name of its module and class, until it is registered with another one",
)
def test_types_without_a_registered_name():
    spec = spec_class("Automatic")
    spec.__module__, spec.__qualname__ = "registry", "Automatic"
    assert st.type_spec_name(spec) == "registry.Automatic"
    st.register_type_spec(spec, "registry.Chosen")
    assert st.type_spec_name(spec) == "registry.Chosen" and st.lookup_type_spec("registry.Chosen") is spec


@promise(
    "TypeSpec Registry",
    "Registering can be a decorator of the class",
    python='@st.register_type_spec("my.MaskedTensor")',
    differs="The document calls the function after the class statement, which works as well",
)
def test_registering_is_a_decorator():
    spec = spec_class("Decorated")
    assert st.register_type_spec("registry.Decorated")(spec) is spec and st.type_spec_name(spec) == "registry.Decorated"
    plain = spec_class("DecoratedByItsName")
    assert st.register_type_spec(plain) is plain and st.type_spec_name(plain) == "DecoratedByItsName"
