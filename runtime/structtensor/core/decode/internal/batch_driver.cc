#include "structtensor/core/decode/internal/batch_driver.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/sanitizers.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/decode/abi/fields.h"
#include "structtensor/core/decode/shared/error_text.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::decode_internal {

using column_internal::TreeLimits;

namespace {

constexpr uintptr_t kPageBytes = 4096;

// String offsets within one batch are 32 bits wide.
constexpr size_t kMaxBatchBytes = 0x7fffffff;

// Whether the error's position is the first byte after the data that the error is about: after the data that is cut off, or
// after the tag or length of a message that must not be entered.
bool IsAfterItsField(DecodeError code) {
  return code == DecodeError::kTruncated || code == DecodeError::kUnterminatedGroup || code == DecodeError::kDepth ||
         code == DecodeError::kRowLimit || code == DecodeError::kCellLimit;
}

}  // namespace

BatchDriver::BatchDriver(const plan::MessagePlan& plan, DecodeOptions options, std::shared_ptr<const Projection> projection,
                         std::shared_ptr<const plan::MessagePlan> kept_plan)
    : plan_(&plan),
      options_(std::move(options)),
      projection_(std::move(projection)),
      pool_(std::make_shared<TreePool>(projection_, std::move(kept_plan))),
      sanitized_(base_internal::HasMemorySanitizer()),
      last_with_slack_(sanitized_ || options_.copy_messages ? 0 : kPageBytes - wire_internal::kReadableSlackBytes) {
  options_.max_message_bytes = std::min(options_.max_message_bytes, kMaxBatchBytes);
}

// Most batches are decoded in one pass. More work is needed only if a batch hits a limit that its messages share. Then the
// batch is decoded again into a fresh tree, because earlier batches may have left too little of the tree's memory. If that
// fails too, each message is decoded alone. Messages that exceed the limit alone count as broken, and the others are decoded
// without them.
absl::StatusOr<DecodedBatch> BatchDriver::Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors,
                                                 ColumnTree::Strings strings) {
  strings_ = strings;
  own_errors_.clear();
  errors_ = errors != nullptr ? errors : &own_errors_;
  errors_begin_ = errors_->size();
  oversized_.clear();
  STRUCTTENSOR_RETURN_IF_ERROR(CheckBatchSize(messages));
  tree_ = pool_->Take();
  absl::StatusOr<DecodedBatch> batch = DecodeOnce(messages);
  // No message is to blame for the memory of all errors, nor are batches before this one.
  const auto is_limit_of_columns = [this] { return limit_.has_value() && limit_->code != DecodeError::kErrorBytes; };
  if (is_limit_of_columns() && !tree_is_fresh_) batch = DecodeOnce(messages);
  if (!is_limit_of_columns()) return batch;
  oversized_ = messages.size() == 1 ? std::vector<Problem>{*limit_} : FindOversized(messages);
  return oversized_.empty() ? batch : DecodeOnce(messages);
}

absl::Status BatchDriver::CheckBatchSize(std::span<const std::string_view> messages) {
  if (messages.size() > options_.max_rows) {
    return absl::ResourceExhaustedError(absl::StrCat("batch of ", messages.size(), " messages: more than ",
                                                     base_internal::OptionText("max_rows", options_.max_rows),
                                                     "; decode fewer messages at a time, or raise that limit"));
  }
  input_bytes_ = 0;
  for (const std::string_view message : messages) {
    if (message.size() <= options_.max_message_bytes) input_bytes_ += message.size();
  }
  if (input_bytes_ <= kMaxBatchBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("batch of ", messages.size(), " messages: ", input_bytes_,
                                                   " bytes, more than the 2 GiB that a batch may have; decode fewer messages "
                                                   "at a time"));
}

// Appends a row for the message. Returns false if that fails: the columns are as before, and `problem` has everything but the
// message's index.
inline bool BatchDriver::DecodeRow(std::string_view message, Problem* problem) {
  if (message.size() > options_.max_message_bytes) [[unlikely]] {
    *problem = {.code = DecodeError::kMessageBytes};
    return false;
  }
  const uint8_t* begin = reinterpret_cast<const uint8_t*>(message.data());
  if (!HasSlack(message)) {
    begin = CopyWithSlack(message);
    if (begin == nullptr) [[unlikely]] {
      *problem = {.code = DecodeError::kMemoryLimit};
      return false;
    }
  }
  const uint32_t nesting = static_cast<uint32_t>(options_.max_depth) * kOneLevel;
  if (plan_->decode(begin, begin + message.size(), tree_.tree().root(), row_, nesting, &context_) != nullptr) [[likely]]
    return true;
  Undo(message, begin, problem);
  return false;
}

// Removes from the columns what the broken message has left in row_. `begin` is where the message was read.
void BatchDriver::Undo(std::string_view message, const uint8_t* begin, Problem* problem) {
  ColumnTree& tree = tree_.tree();
  tree.Truncate(tree.root(), row_);
  std::erase_if(context_.other_wire_types,
                [this](const OtherWireType& other) { return other.first_message == context_.message_index; });
  for (UnknownOfType& unknown : context_.unknown_of_types) {
    if (unknown.last_message != context_.message_index) continue;
    unknown.fields = unknown.fields_before;
    unknown.enum_numbers = unknown.enum_numbers_before;
  }
  std::erase_if(context_.unknown_of_types,
                [](const UnknownOfType& unknown) { return unknown.fields + unknown.enum_numbers == 0; });
  *problem = {.code = MemoryOrPathLimit(context_.error, tree), .sizes = context_.sizes};
  if (problem->code == DecodeError::kPathLimit) {
    problem->field_path = FieldPathOf(tree.refused_path().node, *tree.refused_path().field);
  }
  const uint8_t* const position = std::exchange(context_.error_position, nullptr);
  context_.error = DecodeError::kNone;
  if (position == nullptr) return;
  problem->byte_offset = static_cast<size_t>(std::clamp(position, begin, begin + message.size()) - begin);
  const bool after = IsAfterItsField(problem->code) && problem->byte_offset != 0;
  problem->field_path = FieldPathAt(*plan_, message, after ? problem->byte_offset - 1 : problem->byte_offset);
}

// Decode functions read a little past the end of a message. This is harmless within the page that holds the message's last
// byte. A message that ends closer to the end of its page is decoded from a copy. Sanitizers and Valgrind check objects, not
// pages: for them, no message has slack.
inline bool BatchDriver::HasSlack(std::string_view message) const {
  const uintptr_t last = reinterpret_cast<uintptr_t>(message.data()) + message.size() - 1;
  return last % kPageBytes < last_with_slack_ && !message.empty();
}

// Copies into the tree, which keeps what its strings refer to. Returns null if the tree has no memory left.
const uint8_t* BatchDriver::CopyWithSlack(std::string_view message) {
  uint8_t* copy = nullptr;
  if (sanitized_) {
    // With a copy of its own, the sanitizer finds reads that go too far.
    if (copies_used_ == copies_.size()) copies_.emplace_back();
    std::string& own = copies_[copies_used_++];
    own.resize(message.size() + wire_internal::kReadableSlackBytes);
    copy = reinterpret_cast<uint8_t*>(own.data());
  } else {
    copy = tree_.tree().KeepRoom(message.size() + wire_internal::kReadableSlackBytes);
    if (copy == nullptr) return nullptr;
  }
  message.copy(reinterpret_cast<char*>(copy), message.size());
  std::memset(copy + message.size(), 0, wire_internal::kReadableSlackBytes);
  // Views of the copies would hide from tools that the messages were freed too early.
  if (strings_ == ColumnTree::Strings::kViews && last_with_slack_ == 0) {
    copied_.push_back({reinterpret_cast<const char*>(copy), message.data(), message.size()});
  }
  return copy;
}

void BatchDriver::ClearCopies() {
  copies_used_ = 0;
  copied_.clear();
}

void BatchDriver::Shrink() {
  pool_->Shrink();
  context_ = {};
  own_errors_ = {};
  oversized_ = {};
  message_of_row_ = {};
  copies_ = {};
  ClearCopies();
}

// Decodes messages from `next` on, until one is broken or not to be decoded: messages of five small fields take a seventh less
// time in this loop. Requires: so far there is a row for each message.
BatchDriver::RunEnd BatchDriver::DecodeRun(std::span<const std::string_view> messages, size_t next) {
  const plan::DecodeFunction decode = plan_->decode;
  TreeNode* const root = tree_.tree().root();
  const uint32_t nesting = static_cast<uint32_t>(options_.max_depth) * kOneLevel;
  const size_t max_bytes = options_.max_message_bytes;
  const uint8_t* broken = nullptr;
  for (; next < messages.size(); ++next) {
    const std::string_view message = messages[next];
    if (message.size() > max_bytes) [[unlikely]]
      break;
    const uint8_t* begin = reinterpret_cast<const uint8_t*>(message.data());
    if (!HasSlack(message)) {
      begin = CopyWithSlack(message);
      if (begin == nullptr) [[unlikely]]
        break;
    }
    context_.message_index = next;
    if (decode(begin, begin + message.size(), root, static_cast<uint32_t>(next), nesting, &context_) == nullptr) [[unlikely]] {
      broken = begin;
      break;
    }
  }
  row_ = static_cast<uint32_t>(next);
  return {next, broken};
}

inline void BatchDriver::AddRow(size_t message_index) {
  if (!message_of_row_.empty() || row_ != message_index) [[unlikely]]
    message_of_row_.push_back(static_cast<int64_t>(message_index));
  ++row_;
}

// Decodes all messages except the oversized ones into tree_, or into a fresh tree if there is none. Sets limit_ if the messages
// hit a limit that they share.
absl::StatusOr<DecodedBatch> BatchDriver::DecodeOnce(std::span<const std::string_view> messages) {
  if (!Start(messages.size())) return FailAtLimit({.code = DecodeError::kMemoryLimit}, messages.size());
  auto oversized = oversized_.begin();
  Problem problem;
  for (size_t i = 0; failure_.ok(); ++i) {
    const uint8_t* broken = nullptr;
    if (oversized_.empty() && message_of_row_.empty() && row_ == i) {
      const RunEnd run = DecodeRun(messages, i);
      i = run.next;
      broken = run.broken;
    }
    if (i >= messages.size()) break;
    context_.message_index = i;
    if (broken != nullptr) Undo(messages[i], broken, &problem);
    if (oversized != oversized_.end() && oversized->message_index == i) {
      AddBrokenMessage(*oversized++);
    } else if (broken == nullptr && DecodeRow(messages[i], &problem)) {
      AddRow(i);
    } else {
      problem.message_index = i;
      if (IsLimitOfBatch(problem.code)) return FailAtLimit(problem, messages.size());
      AddBrokenMessage(problem);
    }
    if (HasTooLongErrors()) [[unlikely]]
      return FailAtLimit({.code = DecodeError::kErrorBytes}, messages.size());
  }
  return Finish(messages.size());
}

// Decodes each message in a batch of its own. Returns the messages that exceed a limit even alone.
std::vector<BatchDriver::Problem> BatchDriver::FindOversized(std::span<const std::string_view> messages) const {
  std::vector<Problem> oversized;
  BatchDriver alone(*plan_, options_, projection_);
  for (size_t i = 0; i < messages.size(); ++i) {
    (void)alone.Decode(messages.subspan(i, 1), nullptr, strings_);
    if (alone.oversized_.empty()) continue;
    oversized.push_back(alone.oversized_.front());
    oversized.back().message_index = i;
  }
  return oversized;
}

// Returns false if the memory limit does not even suffice for a tree.
bool BatchDriver::Start(size_t message_count) {
  errors_->resize(errors_begin_);
  error_bytes_ = 0;
  tree_is_fresh_ = !tree_;
  if (tree_is_fresh_) {
    TreeLimits limits;
    limits.memory_bytes = options_.max_memory_bytes;
    limits.rows = options_.max_rows;
    limits.cells = options_.max_cells;
    limits.paths = options_.max_paths;
    limits.recursion_depth = options_.recursion_depth;
    limits.keeps_unknown_fields = options_.unknown_fields == DecodeOptions::UnknownFields::kKeep;
    tree_ = pool_->Make(plan(), limits);
    if (!tree_) return false;
  }
  tree_.set_input_bytes(input_bytes_);
  // Columns of the batch's own rows get their initial size from this number, before the rows exist.
  tree_.tree().set_nrows(static_cast<uint32_t>(message_count));
  std::vector<UnknownOfType> unknown_of_types = std::move(context_.unknown_of_types);  // for its memory
  unknown_of_types.clear();
  context_ = DecodeContext{};
  context_.unknown_of_types = std::move(unknown_of_types);
  context_.tree = &tree_.tree();
  context_.keep_unknown_fields = options_.unknown_fields == DecodeOptions::UnknownFields::kKeep;
  limit_.reset();
  failure_ = absl::OkStatus();
  row_ = 0;
  message_of_row_.clear();
  ClearCopies();
  mismatches_.clear();
  return true;
}

void BatchDriver::AddBrokenMessage(const Problem& problem) {
  AddError(problem);
  switch (options_.on_error) {
    case DecodeOptions::OnError::kFail:
      failure_ = errors_->back().status;
      return;
    case DecodeOptions::OnError::kSkip:
      if (!message_of_row_.empty()) return;
      for (int64_t i = 0; i < row_; ++i) message_of_row_.push_back(i);
      return;
    case DecodeOptions::OnError::kNull:
      ++row_;
      return;
  }
}

void BatchDriver::AddError(const Problem& problem) {
  const int64_t message_index = static_cast<int64_t>(problem.message_index);
  const int64_t row = options_.on_error == DecodeOptions::OnError::kNull ? message_index : -1;
  absl::Status status =
      LimitText(problem.code, options_).empty() ? absl::InvalidArgumentError("") : absl::ResourceExhaustedError("");
  errors_->push_back(WithMessageIndex({.message_index = message_index,
                                       .row = row,
                                       .byte_offset = problem.byte_offset,
                                       .field_path = problem.field_path,
                                       .code = CodeOf(problem.code),
                                       .problem = ErrorText(problem.code, options_, problem.sizes),
                                       .status = std::move(status)},
                                      message_index));
  const MessageError& error = errors_->back();
  error_bytes_ += sizeof(error) + error.field_path.size() + error.problem.size() + error.status.message().size();
}

bool BatchDriver::HasTooLongErrors() const {
  constexpr size_t kAlwaysAllowedBytes = size_t{1} << 16;  // so that a tiny limit on memory does not hide the errors about it
  return error_bytes_ > std::max(options_.max_memory_bytes, kAlwaysAllowedBytes);
}

// Adds an error for each message that lacks a required field, and removes the message's data from the columns. Missing fields
// show only now, after all messages were read.
void BatchDriver::DropRowsMissingRequired() {
  if (!plan_->reaches_required || options_.allow_missing_required) return;
  // The rows of broken messages lack all fields. They have their errors already.
  std::vector<uint32_t> empty_rows;
  for (size_t i = errors_begin_; i < errors_->size(); ++i) {
    if ((*errors_)[i].row >= 0) empty_rows.push_back(static_cast<uint32_t>((*errors_)[i].row));
  }
  std::vector<uint32_t> rows;
  for (const ColumnTree::MissingRequired& missing : tree_.tree().FindMissingRequired()) {
    if (!rows.empty() && rows.back() == missing.row) continue;
    if (std::binary_search(empty_rows.begin(), empty_rows.end(), missing.row)) continue;
    rows.push_back(missing.row);
    const bool is_fail = options_.on_error == DecodeOptions::OnError::kFail;
    // This message comes before the one that stopped the batch, so its error is the first one.
    if (is_fail) errors_->resize(errors_begin_);
    AddError({.message_index = message_of_row_.empty() ? missing.row : static_cast<size_t>(message_of_row_[missing.row]),
              .code = DecodeError::kMissingRequired,
              .field_path = FieldPathOf(missing.node, *missing.field)});
    if (HasTooLongErrors()) return;  // the batch fails
    if (!is_fail) continue;
    failure_ = errors_->back().status;
    return;
  }
  if (rows.empty()) return;
  if (options_.on_error == DecodeOptions::OnError::kNull) {
    tree_.tree().ClearRows(rows);
  } else {
    tree_.tree().RemoveRows(rows);
  }
  std::stable_sort(errors_->begin() + static_cast<ptrdiff_t>(errors_begin_), errors_->end(),
                   [](const MessageError& a, const MessageError& b) { return a.message_index < b.message_index; });
}

void BatchDriver::ListWireTypeMismatches() {
  for (const OtherWireType& other : context_.other_wire_types) {
    mismatches_.push_back({.field_path = FieldPathOf(other.node, *other.field),
                           .declared = other.field->kind,
                           .found = static_cast<plan::WireType>(other.wire_type),
                           .count = other.count,
                           .first_message_index = static_cast<int64_t>(other.first_message)});
  }
}

// Writes over the list of the batch before, so that a warm decoder allocates nothing. A choice of fields makes several plans of
// one message type.
void BatchDriver::ListUnknownValues() {
  std::vector<UnknownOfType>& unknown = context_.unknown_of_types;
  std::sort(unknown.begin(), unknown.end(), [](const UnknownOfType& a, const UnknownOfType& b) {
    return std::tie(a.first_message, a.type->full_name) < std::tie(b.first_message, b.type->full_name);
  });
  size_t listed = 0;
  for (const UnknownOfType& of_type : unknown) {
    const auto end = unknown_values_.begin() + static_cast<ptrdiff_t>(listed);
    const auto known = std::find_if(unknown_values_.begin(), end, [&of_type](const UnknownValues& each) {
      return each.message_type == of_type.type->full_name;
    });
    if (known != end) {
      known->fields += of_type.fields;
      known->enum_numbers += of_type.enum_numbers;
      continue;
    }
    if (listed == unknown_values_.size()) unknown_values_.emplace_back();
    UnknownValues& values = unknown_values_[listed++];
    values.message_type = of_type.type->full_name;
    values.fields = of_type.fields;
    values.enum_numbers = of_type.enum_numbers;
    values.first_message_index = static_cast<int64_t>(of_type.first_message);
    values.first_field_path.clear();
    if (of_type.enum_field != nullptr) {
      AppendFieldPath(of_type.first_node, *of_type.enum_field, values.first_field_path);
    } else {
      AppendUnknownFieldPath(of_type.first_node, of_type.first_number, values.first_field_path);
    }
  }
  unknown_values_.resize(listed);
}

absl::StatusOr<DecodedBatch> BatchDriver::Finish(size_t message_count) {
  tree_.tree().set_nrows(row_);
  ListWireTypeMismatches();
  ListUnknownValues();
  // Comes first, because a map entry that a later entry replaces may lack required fields.
  if (!tree_.tree().DropDuplicateMapKeys()) return FailAtLimit({.code = DecodeError::kMemoryLimit}, message_count);
  DropRowsMissingRequired();
  if (HasTooLongErrors()) return FailAtLimit({.code = DecodeError::kErrorBytes}, message_count);
  if (failure_.ok()) failure_ = TooManyErrors(message_count);
  if (failure_.ok() && !tree_.tree().Finish(strings_, std::exchange(copied_, {}))) {
    return FailAtLimit({.code = DecodeError::kMemoryLimit}, message_count);
  }
  TreeRef tree = std::move(tree_);
  if (!failure_.ok()) return failure_;
  return DecodedBatch(std::move(tree));
}

absl::Status BatchDriver::TooManyErrors(size_t message_count) const {
  return CheckMaxErrors(std::span<const MessageError>(*errors_).subspan(errors_begin_), message_count, options_.max_errors);
}

// Gives up the tree: its memory may be spread over columns that other batches do not use.
absl::Status BatchDriver::FailAtLimit(Problem problem, size_t message_count) {
  if (tree_) tree_.Discard();
  tree_ = {};
  errors_->resize(errors_begin_);
  const std::string where = problem.field_path.empty() ? "" : absl::StrCat("field ", problem.field_path, ": ");
  const std::string text = LimitText(problem.code, options_);
  limit_ = std::move(problem);
  return absl::ResourceExhaustedError(absl::StrCat("batch of ", message_count, " messages: ", where, text,
                                                   "; decode fewer messages at a time, or raise that limit"));
}

}  // namespace structtensor::decode_internal
