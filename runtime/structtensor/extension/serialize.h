// Specs as bytes: the messages of proto_schemas/structtensor/type_spec.proto, written and read without libprotobuf.
#ifndef STRUCTTENSOR_EXTENSION_SERIALIZE_H_
#define STRUCTTENSOR_EXTENSION_SERIALIZE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/extension/registry.h"
#include "structtensor/type_spec/type_spec.h"

#pragma GCC visibility push(default)

namespace structtensor {

// How many specs and items of static states may lie inside each other. (libprotobuf reads a third of that unless it is told to
// read more: it counts messages, and a field of a struct is three of them.)
inline constexpr int kMaxSpecDepth = 100;

// The spec as a serialized structtensor.proto.TypeSpec: equal specs with their fields in the same order give
// equal bytes.
// Errors: InvalidArgument if the spec is deeper than kMaxSpecDepth, or the name of a field or type is not UTF-8.
absl::StatusOr<std::string> SerializeTypeSpec(const TypeSpec& spec);

// The spec that is serialized in `bytes`, which may come from anywhere; fields that this version does not know are skipped.
// Errors: InvalidArgument, with the byte offset, if they are no such message or no spec that a program can have: sizes that
//   contradict each other, fields that do not have the rows of their structs, names that come twice. Those of TypeRegistry for
//   extension types.
// Cost: O(bytes), also in memory.
absl::StatusOr<TypeSpec> ParseTypeSpec(std::string_view bytes, const TypeRegistry& registry = TypeRegistry::Default());

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXTENSION_SERIALIZE_H_
