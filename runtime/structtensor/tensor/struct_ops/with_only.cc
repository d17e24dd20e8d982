#include "structtensor/tensor/struct_ops/with_only.h"

#include <utility>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"

namespace structtensor {
namespace {

// A path whose first `step` steps are done.
struct Rest {
  const Path* path;
  size_t step;
};

bool Matches(const Path::Step& step, const std::string& name) {
  return step.kind() == Path::Step::Kind::kAnyField || step.text() == name;
}

absl::Status CheckNames(const StructuredTensor& structs, std::span<const Rest> rests) {
  for (const auto& [path, step] : rests) {
    const Path::Step::Kind kind = (*path)[step].kind();
    if (kind == Path::Step::Kind::kAnyField) continue;
    if (kind != Path::Step::Kind::kField) return struct_ops_internal::NotAFieldName(*path, step);
    if (structs.FindFlatField((*path)[step].text()) == nullptr) return struct_ops_internal::NoSuchField(*path, step, structs);
  }
  return absl::OkStatus();
}

// Requires: each of `rests` has a step left.
absl::StatusOr<StructuredTensor> Keep(const StructuredTensor& structs, std::span<const Rest> rests) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckNames(structs, rests));
  std::vector<Field> fields;
  std::vector<Rest> inside;
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    const std::string& name = structs.field_names()[i];
    const Value& field = structs.flat_field(i);
    bool whole = false;
    inside.clear();
    for (const auto& [path, step] : rests) {
      const bool star = (*path)[step].kind() == Path::Step::Kind::kAnyField;
      if (!Matches((*path)[step], name)) continue;
      if (step + 1 == path->size()) {
        whole = true;
      } else if (field.structured() != nullptr) {
        inside.push_back({path, step + 1});
      } else if (!star) {
        return struct_ops_internal::NotAStruct(*path, step + 1, field);
      }
    }
    if (!inside.empty()) {
      // Paths into a field that is kept whole must exist as well.
      STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor nested, Keep(*field.structured(), inside));
      if (!whole) fields.push_back({name, std::move(nested)});
    }
    if (whole) fields.push_back({name, field});
  }
  return structs.WithFlatFields(std::move(fields));
}

}  // namespace

absl::StatusOr<StructuredTensor> WithOnly(const StructuredTensor& structs, std::span<const Path> paths) {
  std::vector<Rest> rests;
  rests.reserve(paths.size());
  for (const Path& path : paths) {
    if (path.empty()) return absl::InvalidArgumentError("the field path is empty; it must name a field, as in a.b");
    STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckWellFormed(path));
    rests.push_back({&path, 0});
  }
  return Keep(structs, rests);
}

}  // namespace structtensor
