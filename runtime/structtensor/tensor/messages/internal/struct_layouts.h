// The columns of structs, by message type: their names, and which of them are made only when they are first read. These are the
// same for all batches of a decoder.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_LAYOUTS_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_LAYOUTS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::messages_internal {

// Whether a field shows in which rows it is absent. This is the same for all batches of a schema.
inline bool HasPresence(const plan::FieldPlan& field) {
  return !field.is_repeated() && field.presence == plan::Presence::kExplicit;
}

// The form of a field with presence: what its annotation says, else `by_default`, which is TensorOptions::optionals.
Optionals OptionalsOf(const plan::FieldPlan& field, Optionals by_default);

// The columns of the structs of a message type.
struct StructLayout {
  struct Column {
    size_t field;  // its index in the plan; for the unknown fields, the number of fields
    // Whether it is made when it is first read. That takes no memory for data, has nothing to report and cannot fail.
    bool deferred;
    const StructLayout* below;  // of a deferred message; else null
    size_t made_before = 0;     // how many of the columns in front are not deferred
  };
  StructuredTensor::Names names;
  std::vector<Column> columns;
  size_t num_made = 0;  // how many columns are not deferred
  // How many columns of fields are deferred, here and in the messages of deferred columns. Saturates.
  size_t num_deferred = 0;
};

class StructLayouts {
 public:
  // For the message types that `root` reaches, which must outlive this. Cost: O(fields of these types).
  StructLayouts(const plan::MessagePlan& root, const TensorOptions& options, bool keeps_unknown_fields);

  const TensorOptions& options() const { return options_; }

  // Null if the columns depend on where the type occurs or on data, or their names are not unique: of recursive types, and of
  // types with flattened messages.
  const StructLayout* Of(const plan::MessagePlan& message) const;

 private:
  const StructLayout* Make(const plan::MessagePlan& message);
  std::optional<StructLayout> LayoutOf(const plan::MessagePlan& message);
  StructLayout::Column ColumnOf(const plan::FieldPlan& field, size_t index);

  const TensorOptions options_;
  const bool keeps_unknown_fields_;
  const std::unordered_set<std::string_view> recursive_;  // full names of types
  std::unordered_map<const plan::MessagePlan*, std::optional<StructLayout>> layouts_;
};

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_STRUCT_LAYOUTS_H_
