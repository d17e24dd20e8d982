#include "structtensor/compiler/emit/wire_names.h"

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/plan/kinds.h"

namespace structtensor::compiler {
namespace {

std::string_view WireTypeConstant(plan::WireType wire_type) {
  switch (wire_type) {
    case plan::kVarint:
      return "kVarint";
    case plan::kI64:
      return "kI64";
    case plan::kLen:
      return "kLen";
    case plan::kSgroup:
      return "kSgroup";
    case plan::kEgroup:
      return "kEgroup";
    case plan::kI32:
      return "kI32";
  }
  return "";
}

}  // namespace

std::string TagExpression(uint32_t number, plan::WireType wire_type) {
  return absl::StrCat("wire::Tag(", number, ", wire::", ToAbsl(WireTypeConstant(wire_type)), ")");
}

std::string_view ScalarName(plan::Scalar scalar) {
  switch (scalar) {
#define STRUCTTENSOR_NAME_VARINT(ignored, name) \
  case plan::Scalar::k##name:                   \
    return #name;
#define STRUCTTENSOR_NAME_FIXED(ignored, bits) \
  case plan::Scalar::kFixed##bits:             \
    return "Fixed" #bits;
    STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_NAME_VARINT, )
    STRUCTTENSOR_FIXED_SIZES(STRUCTTENSOR_NAME_FIXED, )
#undef STRUCTTENSOR_NAME_VARINT
#undef STRUCTTENSOR_NAME_FIXED
    case plan::Scalar::kNone:
      break;
  }
  return "";
}

std::string VarintType(plan::Kind kind) { return absl::StrCat("wire::", ToAbsl(ScalarName(plan::ScalarOf(kind)))); }

}  // namespace structtensor::compiler
