// Specs as bytes and values as tensors, for pickles and for structtensor.nest.
#include "structtensor/tensor/extension_types/components.h"

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "structtensor/tensor/extension_types/serialize.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

nb::bytes SerializeSpec(nb::handle spec) {
  const std::string bytes = Unwrap(SerializeTypeSpec(SpecOf(spec)));
  return nb::bytes(bytes.data(), bytes.size());
}

nb::object ParseSpec(nb::handle bytes) {
  std::vector<nb::object> kept;
  return SpecToPython(Unwrap(ParseTypeSpec(BytesOf(bytes, "spec", kept))));
}

// The tensors of a value, or the specs of the tensors of a spec.
nb::list FlattenOf(nb::handle value_or_spec) {
  nb::list leaves;
  if (IsSpec(value_or_spec)) {
    for (const TensorSpec& spec : FlattenComposites(Nest<TypeSpec>(SpecOf(value_or_spec)))) leaves.append(nb::cast(spec));
  } else {
    for (const Tensor& tensor : FlattenComposites(Nest<Value>(ValueOf(value_or_spec)))) leaves.append(nb::cast(tensor));
  }
  return leaves;
}

nb::object PackValue(nb::handle spec, nb::handle tensors) {
  std::vector<Tensor> flat;
  for (nb::handle tensor : tensors) flat.push_back(DenseOf(tensor, "components"));
  return ToPython(Unwrap(PackCompositesAs(Nest<TypeSpec>(SpecOf(spec)), flat)).leaf());
}

// (offsets, bytes) of the strings, both as bytes objects; offsets are int32 and start at 0.
nb::tuple StoredStrings(const Tensor& tensor) {
  if (!IsStringLike(tensor.dtype())) ThrowError(PyExc_TypeError, "the tensor has no strings");
  const Buffer<int32_t>& stored = tensor.string_offsets();
  std::vector<int32_t> offsets = {0};
  const auto size = static_cast<size_t>(tensor.size_elements());
  const int32_t first = size == 0 ? 0 : stored[0];
  for (size_t i = 0; i < size; ++i) offsets.push_back(stored[i + 1] - first);
  return nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(int32_t)),
                        nb::bytes(tensor.string_bytes().data() + first, static_cast<size_t>(offsets.back())));
}

}  // namespace

void BindComponents(nb::module_& module) {
  module.def("_serialize_spec", SerializeSpec, "spec"_a);
  module.def("_parse_spec", ParseSpec, "bytes"_a);
  module.def("_flatten", FlattenOf, "value_or_spec"_a);
  module.def("_pack", PackValue, "spec"_a, "tensors"_a);
  module.def("_stored_strings", StoredStrings, "tensor"_a);
}

}  // namespace structtensor::python
