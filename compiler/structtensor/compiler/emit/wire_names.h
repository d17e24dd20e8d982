// How generated sources name what is on the wire.
#ifndef STRUCTTENSOR_COMPILER_EMIT_WIRE_NAMES_H_
#define STRUCTTENSOR_COMPILER_EMIT_WIRE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/core/plan/kinds.h"

namespace structtensor::compiler {

// "wire::Tag(3, wire::kVarint)"
std::string TagExpression(uint32_t number, plan::WireType wire_type);

// "Sint32", "Fixed64". Requires: not kNone.
std::string_view ScalarName(plan::Scalar scalar);

// The struct of runtime/structtensor/core/wire/abi/kinds.h, "wire::Sint32". Requires: values of `kind` are varints.
std::string VarintType(plan::Kind kind);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_EMIT_WIRE_NAMES_H_
