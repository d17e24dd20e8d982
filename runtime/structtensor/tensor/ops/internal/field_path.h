// The field that an operation is at, for its messages.
#ifndef STRUCTTENSOR_TENSOR_OPS_INTERNAL_FIELD_PATH_H_
#define STRUCTTENSOR_TENSOR_OPS_INTERNAL_FIELD_PATH_H_

#include <string>
#include <string_view>

#include "structtensor/core/field_path/field_path.h"

namespace structtensor::ops_internal {

// The names of fields from the root down to one field; text is made only on request. Each path lives in the frame of the
// function that walks its level, and points to the path of its parent.
class FieldPath {
 public:
  FieldPath() = default;  // the root
  // Requires: parent and name outlive this.
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}

  bool is_root() const { return parent_ == nullptr; }

  // "a.b.c"; "" for the root.
  std::string ToString() const {
    if (is_root()) return "";
    std::string text = parent_->ToString();
    AppendField(name_, text);
    return text;
  }

  // The prefix of messages: "field a.b: ", or "" for the root.
  std::string Prefix() const { return is_root() ? "" : "field " + ToString() + ": "; }

 private:
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
};

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_INTERNAL_FIELD_PATH_H_
