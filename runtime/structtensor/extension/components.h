// Extension types and the values built in, alike: everything that is made of tensors, taken apart and put together.
//
// This folder may include runtime/making, runtime/ops, runtime/tensor and what those include, and runtime/wire.
//
//   TypeSpec            components
//   Tensor              itself
//   RaggedTensor        (flat_values, row_splits of each partition...)
//   StructuredTensor    {'fields': {name: field with the structs' axes in front}, 'ragged_shape': {'inner_shape': int64 [0] of
//                       a scalar, else [1], the number of structs; 'row_partitions': (row_splits of each...)}}; where structs
//                       may be absent, also {'validity': bool [number of structs]}
//   extension types     what they say
#ifndef STRUCTTENSOR_EXTENSION_COMPONENTS_H_
#define STRUCTTENSOR_EXTENSION_COMPONENTS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"
#include "structtensor/type_spec/nest.h"
#include "structtensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The specs of the components of values of that spec. Of a row partition: its row_splits.
Nest<TypeSpec> ComponentSpecs(const TypeSpec& spec);

// The components of `value`, in the structure of ComponentSpecs(spec), sharing its memory. Fields of extension types are flat,
// with one leading axis for the innermost structs, since not every such type can be taken out of ragged axes.
// Errors: InvalidArgument if the value does not have that spec.
absl::StatusOr<Nest<Value>> ToComponents(const TypeSpec& spec, const Value& value);

// The value that ToComponents(spec, value) takes apart into these; sizes may be others where the spec does not know them.
// Errors: InvalidArgument, with the path of the component, if the structure is another, a component does not have its spec, or
//   they do not fit each other. Cost: O(row splits), since they are checked.
absl::StatusOr<Value> FromComponents(const TypeSpec& spec, const Nest<Value>& components);

// The tensors of which the leaves are made: components, and their components, until nothing but tensors is left. Source:
// tf.nest.flatten with expand_composites, as for the rest.
std::vector<Tensor> FlattenComposites(const Nest<Value>& nest);
std::vector<TensorSpec> FlattenComposites(const Nest<TypeSpec>& nest);

// The structure with leaves of those specs made of the tensors that FlattenComposites() gives.
// Errors: InvalidArgument if there are more or fewer tensors, and the errors of FromComponents.
absl::StatusOr<Nest<Value>> PackCompositesAs(const Nest<TypeSpec>& structure, const std::vector<Tensor>& tensors);

// The same structure of values of the same types, sizes apart, whose tensors are function(tensor).
// Errors: InvalidArgument if function changes a dtype or rank, or its tensors do not fit each other.
absl::StatusOr<Nest<Value>> MapComposites(const std::function<Tensor(const Tensor&)>& function, const Nest<Value>& nest);

// Errors: InvalidArgument, with the path, if the structures differ, or two leaves are of types that have no common one.
absl::Status AssertSameTypes(const Nest<TypeSpec>& a, const Nest<TypeSpec>& b);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXTENSION_COMPONENTS_H_
