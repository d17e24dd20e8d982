#include "structtensor/core/generated_api/batch_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/abi/context.h"
#include "structtensor/core/decode/abi/fields.h"
#include "structtensor/core/decode/shared/check_options.h"
#include "structtensor/core/decode/shared/error_text.h"
#include "structtensor/core/decode/shared/tree_pool.h"
#include "structtensor/core/wire/abi/utf8.h"

namespace structtensor {
namespace generated_api_internal {

using column_internal::ColumnAt;
using column_internal::ColumnBuffer;
using column_internal::ColumnTree;
using column_internal::TreeNode;
using decode_internal::Append;
using decode_internal::Appended;
using decode_internal::DecodeContext;
using decode_internal::DecodeError;
using decode_internal::NewStringRef;
using decode_internal::NoteRow;
using decode_internal::PresentAt;

// String offsets are 32 bits wide.
constexpr size_t kMaxTextBytes = 0x7fffffff;
// Strings are kept in blocks of these sizes until the batch is finished. With the readable bytes after them, the sizes of the
// blocks are powers of two, like those of the memory that is given out.
constexpr size_t kTextSlackBytes = 64;
constexpr size_t kLeastTextBlockBytes = 4096;
constexpr size_t kMaxTextBlockBytes = size_t{1} << 20;

DecodeOptions DecodeOptionsOf(const BuildOptions& options) {
  DecodeOptions result;
  result.max_depth = options.max_depth;
  result.max_rows = options.max_rows;
  result.max_cells = options.max_cells;
  result.max_memory_bytes = options.max_memory_bytes;
  result.max_paths = options.max_paths;
  result.allow_missing_required = options.allow_missing_required;
  return result;
}

// The implementation of BatchBuilder.
class BatchState {
 public:
  BatchState(const plan::MessagePlan& plan, const BuildOptions& options, std::shared_ptr<const plan::MessagePlan> kept_plan)
      : plan_(&plan),
        options_(DecodeOptionsOf(options)),
        pool_(std::make_shared<decode_internal::TreePool>(nullptr, std::move(kept_plan))) {}

  MessageBuilder AppendRow();
  absl::StatusOr<DecodedBatch> Build();
  int64_t nrows() const { return nrows_; }
  const absl::Status& status() const { return status_; }

  template <typename T>
  void Set(const MessageBuilder& row, uint32_t field_index, T value);
  void SetText(const MessageBuilder& row, uint32_t field_index, std::string_view value);
  template <typename T>
  void Add(const MessageBuilder& row, uint32_t field_index, std::span<const T> values);
  void AddText(const MessageBuilder& row, uint32_t field_index, std::string_view value);
  MessageBuilder Mutable(const MessageBuilder& row, uint32_t field_index);
  MessageBuilder AddMessage(const MessageBuilder& row, uint32_t field_index);
  void FailValue(const MessageBuilder& row, uint32_t field_index, std::string_view problem);

 private:
  bool MakeTree();
  bool IsWritable(const MessageBuilder& row, uint32_t field_index);
  template <typename T>
  void Put(const MessageBuilder& row, uint32_t field_index, T value);
  bool SetOneofCase(const MessageBuilder& row, const plan::FieldPlan& field);
  bool ClearMember(const MessageBuilder& row, const plan::FieldPlan& field, const plan::FieldPlan& old);
  bool IsAllowed(const MessageBuilder& row, uint32_t field_index, int32_t value);
  uint8_t* TextRoom(size_t size_bytes);
  const uint8_t* KeepText(const MessageBuilder& row, uint32_t field_index, std::string_view value);
  MessageBuilder Below(const MessageBuilder& row, TreeNode* child, uint32_t child_row);
  bool CheckDepth(const MessageBuilder& row, uint32_t field_index);

  void FailAt(const TreeNode* node, uint32_t field_index, absl::StatusCode code, std::string_view problem);
  void FailLimit(const TreeNode* node, uint32_t field_index, DecodeError error);
  void FailDecode(const TreeNode* node, uint32_t field_index);

  const plan::MessagePlan* plan_;
  DecodeOptions options_;  // only its limits count
  std::shared_ptr<decode_internal::TreePool> pool_;

  // The batch under way.
  decode_internal::TreeRef tree_;
  DecodeContext context_;
  uint32_t nrows_ = 0;
  uint32_t batch_ = 0;  // how many batches were built before
  size_t text_bytes_ = 0;
  uint8_t* text_room_ = nullptr;  // in the block for strings that is being filled
  size_t text_room_bytes_ = 0;
  size_t next_text_block_bytes_ = kLeastTextBlockBytes;
  size_t input_bytes_ = 0;
  absl::Status status_;
};

bool BatchState::MakeTree() {
  if (tree_) return true;
  tree_ = pool_->Take();
  // A batch cannot be built again in a fresh tree. So the paths of batches before it do not count, and they are few.
  if (tree_ && tree_.tree().paths() > options_.max_paths / 2) {
    tree_.Discard();
    tree_ = {};
  } else if (tree_) {
    tree_.tree().AllowMorePaths(options_.max_paths);
  }
  if (!tree_) {
    column_internal::TreeLimits limits;
    limits.memory_bytes = options_.max_memory_bytes;
    limits.rows = options_.max_rows;
    limits.cells = options_.max_cells;
    limits.paths = options_.max_paths;
    tree_ = pool_->Make(*plan_, limits);
  }
  if (!tree_) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat(decode_internal::LimitText(DecodeError::kMemoryLimit, options_), "; raise that limit"));
    return false;
  }
  tree_.tree().set_nrows(0);
  context_ = DecodeContext{};
  context_.tree = &tree_.tree();
  return true;
}

MessageBuilder BatchState::AppendRow() {
  MessageBuilder row;
  row.state_ = this;
  row.batch_ = batch_;
  if (!status_.ok() || !MakeTree()) return row;
  if (nrows_ >= options_.max_rows) {
    status_ = absl::ResourceExhaustedError(absl::StrCat("the batch has more rows than ",
                                                        base_internal::OptionText("max_rows", options_.max_rows),
                                                        "; build smaller batches, or raise that limit"));
    return row;
  }
  row.node_ = tree_.tree().root();
  row.row_ = row.row_of_batch_ = nrows_++;
  tree_.tree().set_nrows(nrows_);
  return row;
}

absl::StatusOr<DecodedBatch> BatchState::Build() {
  const auto finish = [&]() -> absl::StatusOr<DecodedBatch> {
    if (!status_.ok() || !MakeTree()) return status_;
    ColumnTree& tree = tree_.tree();
    tree_.set_input_bytes(input_bytes_);
    const absl::Status memory = absl::ResourceExhaustedError(
        absl::StrCat("batch of ", nrows_, " rows: ", decode_internal::LimitText(DecodeError::kMemoryLimit, options_),
                     "; build smaller batches, or raise that limit"));
    // Comes first, because a map entry that a later entry replaces may lack required fields.
    if (!tree.DropDuplicateMapKeys()) return memory;
    if (plan_->reaches_required && !options_.allow_missing_required) {
      const std::vector<ColumnTree::MissingRequired> missing = tree.FindMissingRequired();
      if (!missing.empty()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "row ", missing.front().row, ", field ", decode_internal::FieldPathOf(missing.front().node, *missing.front().field),
            ": a required field that is not set; set it, or build with allow_missing_required"));
      }
    }
    if (!tree.Finish()) return memory;
    return DecodedBatch(std::move(tree_));
  };
  absl::StatusOr<DecodedBatch> batch = finish();
  // After a limit, the tree's memory may be spread over columns that the next batch does not use.
  if (tree_ && absl::IsResourceExhausted(batch.status())) tree_.Discard();
  tree_ = {};
  nrows_ = 0;
  ++batch_;
  text_bytes_ = input_bytes_ = 0;
  text_room_ = nullptr;
  next_text_block_bytes_ = kLeastTextBlockBytes;
  status_ = absl::OkStatus();
  return batch;
}

// "row 3, field ingredients.name: ..."
void BatchState::FailAt(const TreeNode* node, uint32_t field_index, absl::StatusCode code, std::string_view problem) {
  if (!status_.ok()) return;
  status_ = absl::Status(
      code, absl::StrCat("row ", nrows_ == 0 ? 0 : nrows_ - 1, ", field ",
                         decode_internal::FieldPathOf(node, node->plan->fields[field_index]), ": ", ToAbsl(problem)));
}

void BatchState::FailLimit(const TreeNode* node, uint32_t field_index, DecodeError error) {
  error = decode_internal::MemoryOrPathLimit(error, *context_.tree);
  const bool of_batch = decode_internal::IsLimitOfBatch(error);
  FailAt(node, field_index, absl::StatusCode::kResourceExhausted,
         absl::StrCat(decode_internal::LimitText(error, options_),
                      of_batch ? "; build smaller batches, or raise that limit" : "; raise that limit"));
}

// Reports an error that a function of the decoder has left in the context.
void BatchState::FailDecode(const TreeNode* node, uint32_t field_index) {
  FailLimit(node, field_index, std::exchange(context_.error, DecodeError::kNone));
}

void BatchState::FailValue(const MessageBuilder& row, uint32_t field_index, std::string_view problem) {
  if (IsWritable(row, field_index)) FailAt(row.node_, field_index, absl::StatusCode::kInvalidArgument, problem);
}

bool BatchState::IsWritable(const MessageBuilder& row, uint32_t field_index) {
  if (!status_.ok()) return false;
  if (row.batch_ != batch_ || row.node_ == nullptr) [[unlikely]] {
    status_ = absl::FailedPreconditionError(
        "a row builder of an earlier batch was used; after Build(), begin new rows with AppendRow()");
    return false;
  }
  if (row.row_ + 1 != *row.node_->nrows || row.row_of_batch_ + 1 != nrows_) [[unlikely]] {
    FailAt(row.node_, field_index, absl::StatusCode::kFailedPrecondition,
           "the row builder was used after the next element of its field, or the next row of the batch, had begun; finish what "
           "has begun first");
    return false;
  }
  if (row.node_->plan->presence_words && row.row_ >= row.node_->rows_entered &&
      !decode_internal::EnterRow(row.node_, row.row_, &context_)) [[unlikely]] {
    FailDecode(row.node_, field_index);
    return false;
  }
  return true;
}

// Clears `old`, the member of a oneof that is set, because `field` is to be set. Returns false after an error.
bool BatchState::ClearMember(const MessageBuilder& row, const plan::FieldPlan& field, const plan::FieldPlan& old) {
  if (!old.is_message()) return true;
  // Times are set as a whole, and have no row builders.
  if (old.message->well_known == plan::WellKnown::kTimestamp || old.message->well_known == plan::WellKnown::kDuration) {
    context_.tree->TruncateColumn(row.node_, old, row.row_);
    return true;
  }
  // Row builders of the old message may still exist, and could not detect that the message is gone.
  FailAt(row.node_, static_cast<uint32_t>(&field - row.node_->plan->fields.data()), absl::StatusCode::kFailedPrecondition,
         absl::StrCat("its oneof holds ", std::string(old.name),
                      " in this row, a message, which cannot be replaced; set one member of the oneof"));
  return false;
}

// Makes `field`, a member of a oneof, the one that is set.
bool BatchState::SetOneofCase(const MessageBuilder& row, const plan::FieldPlan& field) {
  TreeNode* node = row.node_;
  const plan::MessagePlan& plan = *node->plan;
  if (plan.presence_words) {
    uint64_t& word = node->presence[row.row_];
    const uint64_t others = word & ~(uint64_t{1} << field.presence_bit);
    if (others == 0) return true;
    for (const plan::FieldPlan& other : plan.fields) {
      if (other.oneof_case != field.oneof_case || other.presence_bit < 0 || (others >> other.presence_bit & 1) == 0) continue;
      if (!ClearMember(row, field, other)) return false;
      word &= ~(uint64_t{1} << other.presence_bit);
    }
    return true;
  }
  const auto case_index = static_cast<uint32_t>(field.oneof_case);
  ColumnBuffer& cases = ColumnAt(node, plan.fields[case_index]);
  if (column_internal::IsActive(cases) && cases.size != 0 && cases.rows[cases.size - 1] == row.row_) {
    const int32_t number = static_cast<const int32_t*>(cases.values)[cases.size - 1];
    if (number != field.number && !ClearMember(row, field, *plan.FindByNumber(number))) return false;
  }
  if (decode_internal::SetOneof(cases, field.number, node, case_index, row.row_, &context_)) return true;
  FailDecode(node, case_index);
  return false;
}

template <typename T>
void BatchState::Put(const MessageBuilder& row, uint32_t field_index, T value) {
  TreeNode* node = row.node_;
  const plan::FieldPlan& field = node->plan->fields[field_index];
  if (field.oneof_case >= 0 && !SetOneofCase(row, field)) return;
  ColumnBuffer& column = ColumnAt(node, field);
  bool done;
  if (field.presence_bit >= 0) {
    const PresentAt<> at{node->presence[row.row_], uint64_t{1} << field.presence_bit};
    done = at.Put(column, value, node, field_index, row.row_, &context_);
  } else {
    done = Appended().Put(column, value, node, field_index, row.row_, &context_);
  }
  if (!done) [[unlikely]]
    FailDecode(node, field_index);
  input_bytes_ += sizeof(T);
}

bool BatchState::IsAllowed(const MessageBuilder& row, uint32_t field_index, int32_t value) {
  const plan::FieldPlan& field = row.node_->plan->fields[field_index];
  if (!field.closed_enum || field.enumeration->Has(value)) return true;
  FailAt(row.node_, field_index, absl::StatusCode::kInvalidArgument,
         absl::StrCat(value, " is not a value of ", std::string(field.enumeration->full_name), ", which is a closed enum"));
  return false;
}

template <typename T>
void BatchState::Set(const MessageBuilder& row, uint32_t field_index, T value) {
  if (!IsWritable(row, field_index)) return;
  if constexpr (std::is_same_v<T, int32_t>) {
    if (!IsAllowed(row, field_index, value)) return;
  }
  Put(row, field_index, value);
}

// Returns room for a string, with readable bytes after it, until the batch is finished. Null if the memory limit is reached.
uint8_t* BatchState::TextRoom(size_t size_bytes) {
  if (text_room_ == nullptr || size_bytes > text_room_bytes_) {
    const size_t block_bytes = std::max(next_text_block_bytes_ - kTextSlackBytes, size_bytes);
    text_room_ = context_.tree->KeepRoom(block_bytes);
    if (text_room_ == nullptr) return nullptr;
    text_room_bytes_ = block_bytes;
    next_text_block_bytes_ = std::min(next_text_block_bytes_ * 2, kMaxTextBlockBytes);
  }
  text_room_bytes_ -= size_bytes;
  return std::exchange(text_room_, text_room_ + size_bytes);
}

// Returns a copy of `value` that lives as long as the batch is built. Returns null after an error.
const uint8_t* BatchState::KeepText(const MessageBuilder& row, uint32_t field_index, std::string_view value) {
  const plan::FieldPlan& field = row.node_->plan->fields[field_index];
  const auto fail = [&](absl::StatusCode code, std::string_view problem) {
    FailAt(row.node_, field_index, code, problem);
    return nullptr;
  };
  if (value.size() > kMaxTextBytes - text_bytes_) {
    return fail(absl::StatusCode::kResourceExhausted,
                "the strings of the batch have more than the 2 GiB that a batch may have; build smaller batches");
  }
  const uint32_t fixed = plan::FixedSizeBytesOf(field);
  if (fixed != 0 && value.size() != fixed && (!value.empty() || !plan::MayBeEmpty(*row.node_->plan, field))) {
    return fail(
        absl::StatusCode::kInvalidArgument,
        decode_internal::ErrorText(DecodeError::kFixedSize, options_, {.found_bytes = value.size(), .expected_bytes = fixed}));
  }
  uint8_t* kept = TextRoom(value.size());
  if (kept == nullptr) {
    FailLimit(row.node_, field_index, DecodeError::kMemoryLimit);
    return nullptr;
  }
  if (!value.empty()) std::memcpy(kept, value.data(), value.size());
  // IsUtf8 needs readable bytes after the text, and the copy has them.
  if (field.validate_utf8 && !wire_internal::IsUtf8(kept, value.size())) {
    return fail(absl::StatusCode::kInvalidArgument, decode_internal::ErrorText(DecodeError::kInvalidUtf8, options_, {}));
  }
  text_bytes_ += value.size();
  input_bytes_ += value.size();
  return kept;
}

void BatchState::SetText(const MessageBuilder& row, uint32_t field_index, std::string_view value) {
  if (!IsWritable(row, field_index)) return;
  const uint8_t* kept = KeepText(row, field_index, value);
  if (kept != nullptr) Put(row, field_index, NewStringRef{kept, value.size()});
}

template <typename T>
void BatchState::Add(const MessageBuilder& row, uint32_t field_index, std::span<const T> values) {
  if (values.empty() || !IsWritable(row, field_index)) return;
  if constexpr (std::is_same_v<T, int32_t>) {
    for (const int32_t value : values) {
      if (!IsAllowed(row, field_index, value)) return;
    }
  }
  TreeNode* node = row.node_;
  ColumnBuffer& column = ColumnAt(node, node->plan->fields[field_index]);
  const bool has_room = NoteRow(column, node, field_index, row.row_, &context_) &&
                        (values.size() <= column.limit - column.size ||
                         decode_internal::GrowRepeated(&context_, node, field_index, values.size()));
  if (!has_room) {
    FailDecode(node, field_index);
    return;
  }
  std::memcpy(static_cast<T*>(column.values) + column.size, values.data(), values.size_bytes());
  column.size += static_cast<uint32_t>(values.size());
  input_bytes_ += values.size_bytes();
}

void BatchState::AddText(const MessageBuilder& row, uint32_t field_index, std::string_view value) {
  if (!IsWritable(row, field_index)) return;
  const uint8_t* kept = KeepText(row, field_index, value);
  if (kept == nullptr) return;
  TreeNode* node = row.node_;
  ColumnBuffer& column = ColumnAt(node, node->plan->fields[field_index]);
  if (!Append(column, NewStringRef{kept, value.size()}, node, field_index, row.row_, &context_)) FailDecode(node, field_index);
}

MessageBuilder BatchState::Below(const MessageBuilder& row, TreeNode* child, uint32_t child_row) {
  MessageBuilder below = row;
  below.node_ = child;
  below.row_ = child_row;
  input_bytes_ += 2;
  return below;
}

bool BatchState::CheckDepth(const MessageBuilder& row, uint32_t field_index) {
  int depth = 1;
  for (const TreeNode* above = row.node_->parent; above != nullptr; above = above->parent) ++depth;
  if (depth <= options_.max_depth) return true;
  FailLimit(row.node_, field_index, DecodeError::kDepth);
  return false;
}

MessageBuilder BatchState::Mutable(const MessageBuilder& row, uint32_t field_index) {
  MessageBuilder none;
  none.state_ = this;
  none.batch_ = batch_;
  if (!IsWritable(row, field_index)) return none;
  TreeNode* node = row.node_;
  const plan::FieldPlan& field = node->plan->fields[field_index];
  if (field.oneof_case >= 0 && !SetOneofCase(row, field)) return none;
  ColumnBuffer& column = ColumnAt(node, field);
  ColumnTree& tree = *context_.tree;
  const bool words = field.presence_bit >= 0;
  if (!words && column.size != 0 && column.rows[column.size - 1] == row.row_) return Below(row, column.child, row.row_);
  if (words ? row.row_ >= column.limit : column.size >= column.limit) {
    const uint32_t used = words ? row.row_ : column.size;
    if (!tree.IsInBatchRows(node) && used >= tree.RowLimit(*field.message)) {
      FailLimit(node, field_index, used >= options_.max_rows ? DecodeError::kRowLimit : DecodeError::kCellLimit);
      return none;
    }
    if (!CheckDepth(row, field_index)) return none;
    if (!tree.GrowMessage(node, field_index)) {
      FailLimit(node, field_index, DecodeError::kMemoryLimit);
      return none;
    }
  }
  if (words) {
    node->presence[row.row_] |= uint64_t{1} << field.presence_bit;
  } else {
    Appended().Mark(column, row.row_);
  }
  return Below(row, column.child, row.row_);
}

MessageBuilder BatchState::AddMessage(const MessageBuilder& row, uint32_t field_index) {
  MessageBuilder none;
  none.state_ = this;
  none.batch_ = batch_;
  if (!IsWritable(row, field_index)) return none;
  TreeNode* node = row.node_;
  const plan::FieldPlan& field = node->plan->fields[field_index];
  ColumnBuffer& column = ColumnAt(node, field);
  if (row.row_ >= column.filled) {
    if (!CheckDepth(row, field_index)) return none;
    if (!NoteRow(column, node, field_index, row.row_, &context_)) {
      FailDecode(node, field_index);
      return none;
    }
  }
  if (column.size >= column.limit) {
    FailLimit(node, field_index, column.size >= options_.max_rows ? DecodeError::kRowLimit : DecodeError::kCellLimit);
    return none;
  }
  return Below(row, column.child, column.size++);
}

}  // namespace generated_api_internal

namespace {

generated_api_internal::BatchState& StateOf(generated_api_internal::BatchState* state) {
  assert(state != nullptr && "a row builder that no batch builder has made");
  return *state;
}

}  // namespace

template <ColumnNumber Number>
void RowWriter::Set(const MessageBuilder& row, uint32_t field, Number value) {
  StateOf(row.state_).Set(row, field, value);
}
template <ColumnNumber Number>
void RowWriter::Add(const MessageBuilder& row, uint32_t field, std::span<const Number> values) {
  StateOf(row.state_).Add(row, field, values);
}
#define STRUCTTENSOR_ROW_WRITER_OF(Number)                               \
  template void RowWriter::Set(const MessageBuilder&, uint32_t, Number); \
  template void RowWriter::Add(const MessageBuilder&, uint32_t, std::span<const Number>);
STRUCTTENSOR_ROW_WRITER_OF(bool)
STRUCTTENSOR_ROW_WRITER_OF(int32_t)
STRUCTTENSOR_ROW_WRITER_OF(int64_t)
STRUCTTENSOR_ROW_WRITER_OF(uint32_t)
STRUCTTENSOR_ROW_WRITER_OF(uint64_t)
STRUCTTENSOR_ROW_WRITER_OF(float)
STRUCTTENSOR_ROW_WRITER_OF(double)
#undef STRUCTTENSOR_ROW_WRITER_OF

void RowWriter::Set(const MessageBuilder& row, uint32_t field, std::string_view value) {
  StateOf(row.state_).SetText(row, field, value);
}
MessageBuilder RowWriter::Mutable(const MessageBuilder& row, uint32_t field) { return StateOf(row.state_).Mutable(row, field); }

void RowWriter::Add(const MessageBuilder& row, uint32_t field, std::string_view value) {
  StateOf(row.state_).AddText(row, field, value);
}
MessageBuilder RowWriter::AddMessage(const MessageBuilder& row, uint32_t field) {
  return StateOf(row.state_).AddMessage(row, field);
}

void RowWriter::Fail(const MessageBuilder& row, uint32_t field, std::string_view problem) {
  StateOf(row.state_).FailValue(row, field, problem);
}

BatchBuilder::BatchBuilder(const plan::MessagePlan& plan)
    : BatchBuilder(std::make_unique<generated_api_internal::BatchState>(plan, BuildOptions(), nullptr)) {}
BatchBuilder::BatchBuilder(std::unique_ptr<generated_api_internal::BatchState> state) : state_(std::move(state)) {}
BatchBuilder::~BatchBuilder() = default;
BatchBuilder::BatchBuilder(BatchBuilder&&) noexcept = default;
BatchBuilder& BatchBuilder::operator=(BatchBuilder&&) noexcept = default;

absl::StatusOr<BatchBuilder> BatchBuilder::Create(const plan::MessagePlan& plan, const BuildOptions& options) {
  return Create(plan, options, nullptr);
}

absl::StatusOr<BatchBuilder> BatchBuilder::Create(std::shared_ptr<const plan::MessagePlan> plan, const BuildOptions& options) {
  const plan::MessagePlan& kept = *plan;
  return Create(kept, options, std::move(plan));
}

absl::StatusOr<BatchBuilder> BatchBuilder::Create(const plan::MessagePlan& plan, const BuildOptions& options,
                                                  std::shared_ptr<const plan::MessagePlan> kept_plan) {
  STRUCTTENSOR_RETURN_IF_ERROR(decode_internal::CheckOptions(generated_api_internal::DecodeOptionsOf(options)));
  return BatchBuilder(std::make_unique<generated_api_internal::BatchState>(plan, options, std::move(kept_plan)));
}

MessageBuilder BatchBuilder::AppendRow() { return State().AppendRow(); }
int64_t BatchBuilder::nrows() const { return State().nrows(); }
const absl::Status& BatchBuilder::status() const { return State().status(); }
absl::StatusOr<DecodedBatch> BatchBuilder::Build() { return State().Build(); }

generated_api_internal::BatchState& BatchBuilder::State() const {
  assert(state_ != nullptr && "a builder that was moved from");
  return *state_;
}

}  // namespace structtensor
