#include "field_value.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"

namespace structtensor {

std::string_view FieldLeaf::type_name() const {
  if (get_if<bool>() != nullptr) return "bool";
  if (get_if<int64_t>() != nullptr) return "int";
  if (get_if<double>() != nullptr) return "float";
  if (get_if<std::string>() != nullptr) return "str";
  if (get_if<Bytes>() != nullptr) return "bytes";
  if (get_if<Shape>() != nullptr) return "TensorShape";
  if (get_if<DType>() != nullptr) return "DType";
  const Value& value = *get_if<Value>();
  if (value.tensor() != nullptr) return "Tensor";
  if (value.ragged() != nullptr) return "RaggedTensor";
  return value.structured() != nullptr ? "StructuredTensor" : "extension type";
}

std::string_view TypeName(const FieldValue& value) {
  switch (value.kind()) {
    case NestKind::kNone:
      return "NoneType";
    case NestKind::kLeaf:
      return value.leaf().type_name();
    case NestKind::kList:
      return "list";
    case NestKind::kTuple:
      return "tuple";
    case NestKind::kDict:
      return "dict";
  }
  return "";
}

absl::StatusOr<NestedValue> ToNestedValue(const FieldValue& value) {
  if (value.kind() == NestKind::kNone) return NestedValue();
  if (value.is_leaf()) {
    const FieldLeaf& leaf = value.leaf();
    if (const bool* boolean = leaf.get_if<bool>()) return NestedValue(*boolean);
    if (const int64_t* integer = leaf.get_if<int64_t>()) return NestedValue(*integer);
    if (const double* number = leaf.get_if<double>()) return NestedValue(*number);
    if (const std::string* text = leaf.get_if<std::string>()) return NestedValue(*text);
    if (const FieldLeaf::Bytes* bytes = leaf.get_if<FieldLeaf::Bytes>()) return NestedValue(*bytes);
    return absl::InvalidArgumentError(absl::StrCat("a ", ToAbsl(leaf.type_name()), " is no nested value"));
  }
  NestedValue::List list;
  NestedValue::Dict dict;
  for (size_t i = 0; i < value.items().size(); ++i) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NestedValue item, ToNestedValue(value.items()[i]));
    if (value.kind() == NestKind::kDict) {
      dict.emplace_back(value.names()[i], std::move(item));
    } else {
      list.push_back(std::move(item));
    }
  }
  return value.kind() == NestKind::kDict ? NestedValue(std::move(dict)) : NestedValue(std::move(list));
}

}  // namespace structtensor
