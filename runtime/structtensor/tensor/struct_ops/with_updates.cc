// The updates are sorted into a tree of names that mirrors the part of the struct that changes:
//
//   a.b := v, a.c deleted, d transformed        a -- b := v
//                                               |  `- c deleted
//                                               d transformed
//
// Checking walks tree and struct together; applying does it again, bottom up, with no data touched.
#include "structtensor/tensor/struct_ops/with_updates.h"

#include <cassert>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/values/shared/absent.h"

namespace structtensor {
namespace {

// A name on the path of one or more updates. Siblings are few: searching a list of names is faster than building a hash table.
struct Node {
  std::string_view name;
  const Update* update = nullptr;  // of this field; null if only fields inside it change
  const Update* any = nullptr;     // some update at or below this node; messages name its path
  std::vector<Node> children;

  Node* Find(std::string_view child) {
    for (Node& node : children) {
      if (node.name == child) return &node;
    }
    return nullptr;
  }
  const Node* Find(std::string_view child) const { return const_cast<Node*>(this)->Find(child); }
};

absl::Status Insert(const Update& update, Node& root) {
  const Path& path = update.path();
  if (path.empty()) {
    return absl::InvalidArgumentError("the field path of an update is empty; it must name a field, as in a.b");
  }
  Node* node = &root;
  for (size_t step = 0; step < path.size(); ++step) {
    if (path[step].kind() != Path::Step::Kind::kField) return struct_ops_internal::NotAFieldName(path, step);
    const std::string_view name = path[step].text();
    Node* child = node->Find(name);
    if (child == nullptr) child = &node->children.emplace_back(Node{name, nullptr, &update, {}});
    node = child;
    if (node->update != nullptr) break;
  }
  if (node->update != nullptr || !node->children.empty()) {
    const Path& other = node->any->path();
    return absl::InvalidArgumentError(
        path == other ? absl::StrCat("field ", path.ToString(), " is updated twice; merge both updates into one")
                      : absl::StrCat("fields ", other.ToString(), " and ", path.ToString(),
                                     " are both updated, but one is inside the other; update one after the other"));
  }
  node->update = &update;
  return absl::OkStatus();
}

// Checks that all fields exist that have to exist. `depth` is the number of steps from the root to `structs`.
absl::Status CheckPaths(const StructuredTensor& structs, const Node& node, size_t depth) {
  for (const Node& child : node.children) {
    const Path& path = child.any->path();
    const Value* field = structs.FindFlatField(child.name);
    if (child.update != nullptr && child.update->value() != nullptr) {
      STRUCTTENSOR_RETURN_IF_ERROR(struct_ops_internal::CheckNewName(child.name, path.Prefix(depth)));
      continue;
    }
    if (field == nullptr) return struct_ops_internal::NoSuchField(path, depth, structs);
    if (child.children.empty()) continue;
    if (field->structured() == nullptr) return struct_ops_internal::NotAStruct(path, depth + 1, *field);
    STRUCTTENSOR_RETURN_IF_ERROR(CheckPaths(*field->structured(), child, depth + 1));
  }
  return absl::OkStatus();
}

// `present`: which of the structs that have the field are present, together with those around them.
absl::StatusOr<Value> NewFlatValue(const Update& update, const Value* old_flat, const struct_ops_internal::OuterAxes& axes,
                                   const Validity& present) {
  const std::string where = update.path().ToString();
  absl::StatusOr<Value> wrapped = update.value() != nullptr
                                      ? *update.value()
                                      : (*update.function())(axes.Wrap(values_internal::AbsentWhere(present, *old_flat)));
  if (!wrapped.ok()) {
    return absl::Status(wrapped.status().code(), absl::StrCat("field ", where, ": ", wrapped.status().message()));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value flat, axes.Unwrap(*wrapped, where));
  return values_internal::WithoutHiddenRows(present, flat);
}

absl::StatusOr<StructuredTensor> ApplyNode(const StructuredTensor& structs, const Node& node,
                                           const struct_ops_internal::OuterAxes& axes, const Validity& present) {
  std::vector<Field> fields;
  fields.reserve(structs.num_fields() + node.children.size());
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    const std::string& name = structs.field_names()[i];
    const Node* child = node.Find(name);
    if (child == nullptr) {
      fields.push_back({name, structs.flat_field(i)});
    } else if (child->update == nullptr) {
      const StructuredTensor& nested = *structs.flat_field(i).structured();
      struct_ops_internal::OuterAxes nested_axes = axes;
      nested_axes.Enter(nested);
      STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor updated,
                                    ApplyNode(nested, *child, nested_axes, values_internal::PresentInside(present, nested)));
      fields.push_back({name, std::move(updated)});
    } else if (!child->update->is_deletion()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Value flat, NewFlatValue(*child->update, &structs.flat_field(i), axes, present));
      fields.push_back({name, std::move(flat)});
    }
  }
  for (const Node& child : node.children) {
    if (structs.FindFlatField(child.name) != nullptr) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value flat, NewFlatValue(*child.update, nullptr, axes, present));
    fields.push_back({std::string(child.name), std::move(flat)});
  }
  return structs.WithFlatFields(std::move(fields));
}

}  // namespace

absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::span<const Update> updates) {
  if (updates.empty()) return structs;
  Node root;
  for (const Update& update : updates) STRUCTTENSOR_RETURN_IF_ERROR(Insert(update, root));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckPaths(structs, root, 0));
  return ApplyNode(structs, root, struct_ops_internal::OuterAxes(structs), structs.validity());
}

absl::StatusOr<StructuredTensor> WithUpdates(const StructuredTensor& structs, std::initializer_list<Update> updates) {
  return WithUpdates(structs, std::span<const Update>(updates.begin(), updates.size()));
}

}  // namespace structtensor
