// Converts tensors to the columns that encoders need: with the right type, and a value in each row that has one.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_COLUMNS_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/encode/shared/node_builder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/values/row_partition.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::messages_internal {

inline constexpr uint32_t kHidden = 0xffffffff;
inline constexpr int64_t kMaxRows = 0xfffffffe;

// Maps the rows of a column or node to rows of a tensor. The rows taken are in ascending order.
struct Rows {
  uint32_t size = 0;
  const uint32_t* source = nullptr;  // [size]: row of the tensor, or kHidden if there is none; null: row i of the tensor
  bool in_place = true;              // each row i is hidden or is row i of the tensor
  bool any_hidden = false;

  uint32_t operator[](uint32_t i) const { return source == nullptr ? i : source[i]; }
};

// The place of a tensor: its field name, its parent, and how its rows form the rows of the parent.
struct Place {
  const Place* above = nullptr;
  std::string_view name = {};
  const RowPartition* partition = nullptr;  // null: the same rows
  int64_t first_row = 0;                    // of the root: the number of its row 0 in errors

  // "a.b.c".
  std::string Path() const;
  // OutOfRange: "row 3: a.b.c: <problem>"; `row` is a row of this tensor.
  absl::Status Error(int64_t row, std::string_view problem) const;
  // InvalidArgument: "a.b.c: <problem>", about the whole tensor.
  absl::Status Error(std::string_view problem) const;
};

// The beginning of a string, in quotes and readable.
std::string Quoted(std::string_view text);

struct TextColumn {
  const int32_t* offsets;  // [rows.size + 1]
  const char* bytes;
  size_t text_bytes;
};

// Makes columns, in the memory of a NodeBuilder. Data that needs no change is not copied.
class ColumnMaker {
 public:
  explicit ColumnMaker(encode_internal::NodeBuilder& builder) : builder_(builder) {}

  // Checks that the type of `tensor` fits, without looking at values. Errors: InvalidArgument if it does not fit.
  static absl::Status CheckType(const plan::FieldPlan& field, const Tensor& tensor, const Place& place);

  // Returns the values of a scalar field that is not text, in the field's element type. Hidden rows are zero if `zero_hidden`,
  // else unspecified.
  // Errors: InvalidArgument if the type does not fit; OutOfRange if a value that is not hidden does not fit.
  absl::StatusOr<const void*> Values(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows, bool zero_hidden,
                                     const Place& place);

  // Returns the values of strings, bytes and serialized messages. Hidden rows are empty if `empty_hidden`.
  // Errors: the errors of Values(); OutOfRange if bytes are not a message of the field's type; ResourceExhausted if a
  //   copy of the values exceeds 2 GiB.
  absl::StatusOr<TextColumn> Text(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows, bool empty_hidden,
                                  const Place& place);

 private:
  using EnumNumbers = absl::flat_hash_map<std::string_view, int32_t>;

  absl::Status CheckUtf8(const Tensor& tensor, const Rows& rows, const Place& place) const;
  absl::Status CheckMessages(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows, const Place& place) const;
  absl::Status CheckFixedSize(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows, const Place& place) const;
  absl::StatusOr<const void*> EnumValues(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                         const Place& place);
  template <typename To>
  absl::StatusOr<const void*> NumberValues(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                           bool zero_hidden, const Place& place);

  encode_internal::NodeBuilder& builder_;
  absl::flat_hash_map<const plan::EnumPlan*, EnumNumbers> enums_;
};

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_COLUMNS_H_
