// Specs as bytes: the messages of proto_schemas/structtensor/type_spec.proto, written and read without libprotobuf.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_SERIALIZE_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_SERIALIZE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/tensor/extension_types/registry.h"
#include "structtensor/tensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// The maximum nesting depth of specs and items of static states. (By default libprotobuf reads only a third of this depth: it
// counts messages, and a field of a struct is three messages.)
inline constexpr int kMaxSpecDepth = 100;

// Returns the spec as a serialized structtensor.proto.TypeSpec. Equal specs with their fields in the same order give equal
// bytes.
// Errors: InvalidArgument if the spec is deeper than kMaxSpecDepth, or the name of a field or type is not UTF-8.
absl::StatusOr<std::string> SerializeTypeSpec(const TypeSpec& spec);

// Returns the spec that is serialized in `bytes`. The bytes may be untrusted. Fields that this version does not know are
// skipped.
// Errors: InvalidArgument, with the byte offset, if they are not such a message, or the spec is not valid: sizes contradict
//   each other, fields do not have the rows of their structs, or names come twice. For extension types, the errors of
//   TypeRegistry.
// Cost: O(bytes), also in memory.
absl::StatusOr<TypeSpec> ParseTypeSpec(std::string_view bytes, const TypeRegistry& registry = TypeRegistry::Default());

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_SERIALIZE_H_
