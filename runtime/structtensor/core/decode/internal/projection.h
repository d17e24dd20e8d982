// Which fields of a message type a decoder reads: the plan of the type with the others marked as skipped.
#ifndef STRUCTTENSOR_CORE_DECODE_INTERNAL_PROJECTION_H_
#define STRUCTTENSOR_CORE_DECODE_INTERNAL_PROJECTION_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::decode_internal {

// Owns the plans that differ from the plans in generated code: one for each message on the path to a chosen field. Nodes of
// such a plan have the layout that generated code knows. The columns that are decoded by key come after this layout.
class Projection {
 public:
  // The fields at `paths` (core/field_path/field_path.h), each with all that is below it: "name", "address.city",
  // "items.[pkg.extension].price". `labels["env"]`, `counts[7]` or `flags["true"]` is the value of one key of a map. A map with
  // chosen keys becomes a struct with a field for each chosen key.
  // Errors: InvalidArgument for a path that is malformed or leads nowhere; NotFound for a path with an unknown field name (the
  // message lists the known names).
  static absl::StatusOr<std::shared_ptr<const Projection>> Make(const plan::MessagePlan& root,
                                                                std::span<const std::string> paths);

  const plan::MessagePlan& plan() const { return *plan_; }

 private:
  friend class ProjectionBuilder;
  const plan::MessagePlan* plan_ = nullptr;
  // Deques, because plans point to one another.
  std::deque<plan::MessagePlan> messages_;
  std::deque<std::vector<plan::FieldPlan>> fields_;
  std::deque<std::vector<plan::MapKey>> keys_;
  std::deque<std::string> strings_;
};

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_CORE_DECODE_INTERNAL_PROJECTION_H_
