// Builds batches from application data, row by row and without messages. Users call the builders in generated headers
// (core/generated_api/batch.h), which are made of the classes here.
//
// The columns are filled as a decoder fills them: a value is appended to its column, once. So only the last row of each list
// can be written: a recipe until the next recipe begins, an ingredient until the next ingredient begins.
#ifndef STRUCTTENSOR_CORE_GENERATED_API_BATCH_BUILDER_H_
#define STRUCTTENSOR_CORE_GENERATED_API_BATCH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace column_internal {
struct TreeNode;
}  // namespace column_internal
namespace generated_api_internal {
class BatchState;
}  // namespace generated_api_internal

// Limits of one batch, with the meaning and range that they have in DecodeOptions.
struct BuildOptions {
  int max_depth = 100;
  uint32_t max_rows = uint32_t{1} << 28;
  uint64_t max_cells = uint64_t{1} << 28;
  // Strings count twice, because they are kept until the batch is finished.
  size_t max_memory_bytes = size_t{1} << 30;
  uint32_t max_paths = uint32_t{1} << 14;
  // Builds rows that lack required fields.
  bool allow_missing_required = false;
};

// A row that is being written: the base class of the row builders in generated headers. A small handle: copy it and pass it by
// value. It may be used until the next element of its field begins, the next row of the batch begins, or Build() is called. A
// later call is an error, which Build() returns. The batch builder must outlive it.
class MessageBuilder {
 private:
  friend class generated_api_internal::BatchState;
  friend struct RowWriter;
  MessageBuilder() = default;
  generated_api_internal::BatchState* state_ = nullptr;
  column_internal::TreeNode* node_ = nullptr;
  uint32_t row_ = 0;
  uint32_t row_of_batch_ = 0;  // the row of the batch that contains this row, or is this row
  uint32_t batch_ = 0;         // the state's number of the batch
};

// The number types of columns, and bool.
template <typename T>
concept ColumnNumber = std::is_same_v<T, bool> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
    std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// Only for generated setters, which write through it. `field`: index in the plan of the row's message type.
struct RowWriter {
  // Sets a singular field, or replaces its value.
  template <ColumnNumber Number>
  static void Set(const MessageBuilder& row, uint32_t field, Number value);
  static void Set(const MessageBuilder& row, uint32_t field, std::string_view value);
  // Returns the message of a singular field, and makes it present.
  static MessageBuilder Mutable(const MessageBuilder& row, uint32_t field);

  // Appends to a repeated field.
  template <ColumnNumber Number>
  static void Add(const MessageBuilder& row, uint32_t field, std::span<const Number> values);
  static void Add(const MessageBuilder& row, uint32_t field, std::string_view value);
  // Appends an element to a repeated message field, or an entry to a map.
  static MessageBuilder AddMessage(const MessageBuilder& row, uint32_t field);

  // Returns `row` as the generated class of its message type. Requires: RowBuilder is this class.
  template <typename RowBuilder>
  static RowBuilder As(const MessageBuilder& row) {
    return RowBuilder(row);
  }

  // Records the error that a value cannot be stored, unless there is already an error.
  static void Fail(const MessageBuilder& row, uint32_t field, std::string_view problem);
};

// Builds batches of one message type. Keep it: it reuses its memory from batch to batch. One thread at a time. The builder may
// be moved; row builders stay valid.
class BatchBuilder {
 public:
  // With the default options. `plan` must outlive the builder and all that it makes; plans in generated code live forever.
  explicit BatchBuilder(const plan::MessagePlan& plan);
  // Errors: InvalidArgument for an option that is out of its range.
  static absl::StatusOr<BatchBuilder> Create(const plan::MessagePlan& plan, const BuildOptions& options);
  // Takes a plan that a Schema has made (app/schema/schema.h): the builder and all that it makes keep it alive. Same errors.
  // Requires: plan is not null.
  static absl::StatusOr<BatchBuilder> Create(std::shared_ptr<const plan::MessagePlan> plan, const BuildOptions& options);

  ~BatchBuilder();
  BatchBuilder(BatchBuilder&&) noexcept;
  BatchBuilder& operator=(BatchBuilder&&) noexcept;

  // Begins a row. All of its fields are absent or empty. From then on it is an error to use row builders of earlier rows.
  MessageBuilder AppendRow();
  // Number of rows begun since the last Build().
  int64_t nrows() const;
  // The first error since the last Build(). What is written after an error is ignored.
  const absl::Status& status() const;

  // Returns the batch of all rows since the last Build(). If entries of a map have equal keys, only the last one stays. The
  // next row begins a new batch, also after an error.
  // Errors: InvalidArgument for a value that the schema does not allow, and for a row that lacks a required field;
  //   FailedPrecondition for a row builder that was used too late; ResourceExhausted if a limit of the options is exceeded. The
  //   message names the row and the field path.
  absl::StatusOr<DecodedBatch> Build();

 private:
  explicit BatchBuilder(std::unique_ptr<generated_api_internal::BatchState> state);
  static absl::StatusOr<BatchBuilder> Create(const plan::MessagePlan& plan, const BuildOptions& options,
                                             std::shared_ptr<const plan::MessagePlan> kept_plan);

  generated_api_internal::BatchState& State() const;

  std::unique_ptr<generated_api_internal::BatchState> state_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_BATCH_BUILDER_H_
