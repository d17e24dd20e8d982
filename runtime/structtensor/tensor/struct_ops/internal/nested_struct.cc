#include "structtensor/tensor/struct_ops/internal/nested_struct.h"

#include <cassert>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/field_name.h"
#include "structtensor/tensor/values/shared/absent.h"

namespace structtensor::struct_ops_internal {
namespace {

// "the value itself", "a.b".
std::string Where(const Path& path, size_t size) {
  return size == 0 ? std::string("the value itself") : path.Prefix(size).ToString();
}

size_t FindName(const StructuredTensor& structs, std::string_view name) {
  const std::vector<std::string>& names = structs.field_names();
  size_t i = 0;
  while (i < names.size() && names[i] != name) ++i;
  return i;
}

// The field that step `step` of the path names. Requires: it is a field name.
absl::StatusOr<const Value*> FieldAt(const StructuredTensor& structs, const Path& path, size_t step) {
  if (path[step].kind() != Path::Step::Kind::kField) return NotAFieldName(path, step);
  const Value* field = structs.FindFlatField(path[step].text());
  if (field == nullptr) return NoSuchField(path, step, structs);
  return field;
}

}  // namespace

absl::Status NoSuchField(const Path& path, size_t step, const StructuredTensor& structs) {
  const std::string where = step == 0 ? "" : absl::StrCat(" in ", Where(path, step));
  return absl::NotFoundError(absl::StrCat("field path ", path.ToString(), ": there is no field ", path[step].ToString(), where,
                                          "; ", structs.DescribeFields()));
}

absl::Status NotAStruct(const Path& path, size_t step, const Value& found) {
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", Where(path, step), " is ",
                                                 found.spec().DebugString(), ", which has no fields; only structs have them"));
}

absl::Status NotAFieldName(const Path& path, size_t step) {
  if (path[step].kind() == Path::Step::Kind::kMalformed) {
    if (absl::Status status = Path::Parse(path[step].text()).status(); !status.ok()) return status;
  }
  return absl::InvalidArgumentError(absl::StrCat("field path ", path.ToString(), ": ", path[step].ToString(),
                                                 " is not the name of a field; this operation works on whole fields"));
}

absl::Status CheckWellFormed(const Path& path) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i].kind() == Path::Step::Kind::kMalformed) return NotAFieldName(path, i);
  }
  return absl::OkStatus();
}

absl::Status CheckNewName(std::string_view name, const Path& parent) {
  if (IsFieldName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the name of a new field in ",
                                                 parent.empty() ? std::string("the value itself") : parent.ToString(),
                                                 " is empty; every field needs a name"));
}

absl::Status CheckNewField(const Path& target) {
  if (target.empty()) {
    return absl::InvalidArgumentError("the target is empty; it must be the path of the new field, as in a.b");
  }
  if (target.back().kind() != Path::Step::Kind::kField) return NotAFieldName(target, target.size() - 1);
  return CheckNewName(target.back().text(), target.Parent());
}

absl::StatusOr<NestedStruct> FindStruct(const StructuredTensor& root, const Path& path) {
  NestedStruct found{root, OuterAxes(root), root.validity()};
  for (size_t step = 0; step < path.size(); ++step) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value* field, FieldAt(found.structs, path, step));
    if (field->structured() == nullptr) return NotAStruct(path, step + 1, *field);
    found.axes.Enter(*field->structured());
    found.present = values_internal::PresentInside(found.present, *field->structured());
    // The field is part of found.structs, so it is copied before found.structs is replaced.
    StructuredTensor structs = *field->structured();
    found.structs = std::move(structs);
  }
  return found;
}

absl::StatusOr<NestedField> FindField(const StructuredTensor& root, const Path& path) {
  if (path.empty()) {
    return absl::InvalidArgumentError("the field path is empty; it must name a field, as in a.b");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NestedStruct parent, FindStruct(root, path.Parent()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value* field, FieldAt(parent.structs, path, path.size() - 1));
  Value flat = values_internal::AbsentWhere(parent.present, *field);
  Value stored = *field;
  return NestedField{std::move(parent), path.back().text(), std::move(flat), std::move(stored)};
}

StructuredTensor WithFlatField(const StructuredTensor& structs, std::string_view name, Value flat) {
  assert(flat.rank() >= 1 && flat.nrows() == structs.flat_nrows());
  std::vector<Field> fields;
  fields.reserve(structs.num_fields() + 1);
  for (size_t i = 0; i < structs.num_fields(); ++i) fields.push_back({structs.field_names()[i], structs.flat_field(i)});
  const size_t i = FindName(structs, name);
  if (i < fields.size()) {
    fields[i].value = std::move(flat);
  } else {
    fields.push_back({std::string(name), std::move(flat)});
  }
  return structs.WithFlatFields(std::move(fields));
}

StructuredTensor ReplaceStruct(const StructuredTensor& root, const Path& path, StructuredTensor structs) {
  // Go down to the parents, then up again with the changed child.
  std::vector<StructuredTensor> parents;
  parents.reserve(path.size());
  const StructuredTensor* parent = &root;
  for (const Path::Step& step : path.steps()) {
    parents.push_back(*parent);
    parent = parent->FindFlatField(step.text())->structured();
  }
  for (size_t i = path.size(); i > 0; --i) {
    structs = WithFlatField(parents[i - 1], path[i - 1].text(), std::move(structs));
  }
  return structs;
}

}  // namespace structtensor::struct_ops_internal
