// Splitting values that are made of tensors, built in or of extension types, into components, and joining components.
//
//   TypeSpec            components
//   Tensor              itself
//   RaggedTensor        (flat_values, row_splits of each partition...)
//   StructuredTensor    {'fields': {name: field with leading axes of the structs}, 'ragged_shape': {'inner_shape': int64 [0]
//                       for a scalar, else [1], the number of structs; 'row_partitions': (row_splits of each...)}};
//                       where structs may be absent, also {'validity': bool [number of structs]}
//   extension types     what they say
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_COMPONENTS_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_COMPONENTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Returns the specs of the components of values of this spec. The component of a row partition is its row_splits.
Nest<TypeSpec> ComponentSpecs(const TypeSpec& spec);

// Returns the components of `value`, in the structure of ComponentSpecs(spec), sharing its memory. Fields of extension types
// are flat, with one leading axis for the innermost structs, because some extension types cannot be taken out of ragged axes.
// Errors: InvalidArgument if the value does not have this spec.
absl::StatusOr<Nest<Value>> ToComponents(const TypeSpec& spec, const Value& value);

// Returns the value with these components: the inverse of ToComponents(spec, value). Sizes that the spec does not know may
// differ.
// Errors: InvalidArgument, with the path of the component, if the structure differs, a component does not have its spec, or
//   components do not fit each other. Cost: O(row splits), to check them.
absl::StatusOr<Value> FromComponents(const TypeSpec& spec, const Nest<Value>& components);

// Returns the tensors that the leaves are made of: leaves are split into components until only tensors are left. Source of this
// and the functions below: tf.nest with expand_composites.
std::vector<Tensor> FlattenComposites(const Nest<Value>& nest);
std::vector<TensorSpec> FlattenComposites(const Nest<TypeSpec>& nest);

// Returns `structure` with leaves of these specs, made from the tensors that FlattenComposites() gives.
// Errors: InvalidArgument if there are more or fewer tensors, and the errors of FromComponents.
absl::StatusOr<Nest<Value>> PackCompositesAs(const Nest<TypeSpec>& structure, const std::vector<Tensor>& tensors);

// Errors: InvalidArgument, with the path, if the structures differ, or two leaves have types without a common type.
absl::Status AssertSameTypes(const Nest<TypeSpec>& a, const Nest<TypeSpec>& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_COMPONENTS_H_
