#include "structtensor/decode/decoder.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "structtensor/base/strings.h"
#include "structtensor/decode/error_text.h"
#include "structtensor/decode/fields.h"
#include "structtensor/wire/varint.h"

namespace structtensor {
namespace decode_internal {

// Trees that no batch uses. Batches may die in any thread, and after their decoder.
class TreePool {
 public:
  ~TreePool();
  TreeRef::Shared* Take();
  void Give(TreeRef::Shared* shared);

 private:
  std::mutex mutex_;
  std::vector<TreeRef::Shared*> free_;
};

struct TreeRef::Shared {
  Shared(const plan::Message& plan, const TreeLimits& limits) : tree(plan, limits) {}
  ColumnTree tree;
  std::atomic<uint32_t> references{1};
  std::shared_ptr<TreePool> pool;  // empty while the pool holds it
};

TreePool::~TreePool() {
  for (TreeRef::Shared* shared : free_) delete shared;
}

TreeRef::Shared* TreePool::Take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  TreeRef::Shared* shared = free_.back();
  free_.pop_back();
  return shared;
}

void TreePool::Give(TreeRef::Shared* shared) {
  const std::lock_guard lock(mutex_);
  free_.push_back(shared);
}

TreeRef::TreeRef(const TreeRef& other) : shared_(other.shared_) {
  if (shared_ != nullptr) shared_->references.fetch_add(1, std::memory_order_relaxed);
}

TreeRef::~TreeRef() {
  if (shared_ == nullptr || shared_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  shared_->tree.Reset();
  const std::shared_ptr<TreePool> pool = std::move(shared_->pool);
  pool->Give(shared_);
}

ColumnTree& TreeRef::tree() const { return shared_->tree; }

namespace {

TreeRef TakeTree(const std::shared_ptr<TreePool>& pool, const plan::Message& plan, const DecodeOptions& options) {
  TreeRef::Shared* shared = pool->Take();
  if (shared == nullptr) {
    TreeLimits limits;
    limits.memory_bytes = options.max_memory_bytes;
    limits.rows = options.max_rows;
    limits.recursion_depth = options.recursion_depth;
    shared = new TreeRef::Shared(plan, limits);
  }
  shared->references.store(1, std::memory_order_relaxed);
  shared->pool = pool;
  return TreeRef(shared);
}

}  // namespace
}  // namespace decode_internal

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// String offsets within one batch are 32 bits wide.
constexpr size_t kMaxBatchBytes = 0x7fffffff;

// Whether the error's position is the first byte behind what it is about: behind the data that is cut off, or behind the tag or length
// of a message that must not be entered.
bool IsBehindItsField(DecodeError code) {
  return code == DecodeError::kTruncated || code == DecodeError::kUnterminatedGroup || code == DecodeError::kDepth ||
         code == DecodeError::kRowLimit;
}

}  // namespace

BatchDecoder::BatchDecoder(const plan::Message& plan, DecodeOptions options)
    : plan_(&plan), options_(options), pool_(std::make_shared<decode_internal::TreePool>()) {}
BatchDecoder::~BatchDecoder() = default;
BatchDecoder::BatchDecoder(BatchDecoder&&) noexcept = default;
BatchDecoder& BatchDecoder::operator=(BatchDecoder&&) noexcept = default;

absl::StatusOr<DecodedBatch> BatchDecoder::Decode(std::span<const std::string_view> messages,
                                                  std::vector<MessageError>* errors) {
  Start(messages.size(), errors);
  for (const std::string_view message : messages) Add(message);
  return Finish();
}

void BatchDecoder::Start(size_t expected_messages, std::vector<MessageError>* errors) {
  tree_ = decode_internal::TakeTree(pool_, *plan_, options_);
  // Columns of the batch's own rows are sized from this before the rows are there.
  tree_.tree().set_nrows(static_cast<uint32_t>(std::min<size_t>(expected_messages, options_.max_rows)));
  context_ = DecodeContext{&tree_.tree()};
  own_errors_.clear();
  errors_ = errors != nullptr ? errors : &own_errors_;
  errors_begin_ = errors_->size();
  failure_ = absl::OkStatus();
  message_count_ = 0;
  input_bytes_ = 0;
  message_of_row_.clear();
  copies_used_ = 0;
  row_ = 0;
}

// Decode functions read a little past the end of a message. Within the page that holds its last byte this is harmless; a message
// that ends closer to the end of its page than that is decoded from a copy. Sanitizers judge by objects, not pages.
std::string_view BatchDecoder::WithSlack(std::string_view message) {
  constexpr uintptr_t kPageBytes = 4096;
  const uintptr_t end = reinterpret_cast<uintptr_t>(message.data()) + message.size();
  if (!kSanitized && !message.empty() && (end - 1) % kPageBytes + wire::kReadableSlackBytes < kPageBytes) return message;
  if (copies_used_ == copies_.size()) copies_.emplace_back();
  std::string& copy = copies_[copies_used_++];
  copy.reserve(message.size() + wire::kReadableSlackBytes);
  copy.assign(message);
  copy.append(wire::kReadableSlackBytes, '\0');
  return {copy.data(), message.size()};
}

void BatchDecoder::Add(std::string_view message) {
  const int64_t message_index = message_count_++;
  if (!failure_.ok()) return;
  input_bytes_ += message.size();
  if (input_bytes_ > kMaxBatchBytes || row_ >= options_.max_rows) {
    failure_ = absl::ResourceExhaustedError(absl::StrCat(
        "message ", message_index, ": a batch holds at most 2 GiB of serialized messages and max_rows = ", options_.max_rows,
        " of them; decode fewer messages at a time"));
    return;
  }
  const std::string_view padded = WithSlack(message);
  const uint8_t* begin = reinterpret_cast<const uint8_t*>(padded.data());
  const uint8_t* end = begin + padded.size();
  context_.error = DecodeError::kNone;
  context_.error_position = nullptr;
  const uint32_t nesting = static_cast<uint32_t>(options_.max_depth) * decode::kOneLevel;
  if (plan_->decode(begin, end, tree_.tree().root(), row_, nesting, &context_) != nullptr) {
    if (!message_of_row_.empty() || row_ != message_index) message_of_row_.push_back(message_index);
    ++row_;
    return;
  }
  tree_.tree().Truncate(tree_.tree().root(), row_);
  const uint8_t* position = std::clamp(context_.error_position == nullptr ? begin : context_.error_position, begin, end);
  const size_t byte_offset = static_cast<size_t>(position - begin);
  const size_t inside = IsBehindItsField(context_.error) && byte_offset != 0 ? byte_offset - 1 : byte_offset;
  if (message_of_row_.empty()) {
    for (int64_t i = 0; i < row_; ++i) message_of_row_.push_back(i);
  }
  AddError(message_index, context_.error, byte_offset,
           context_.error_position == nullptr ? "" : FieldPathAt(*plan_, message, inside));
}

void BatchDecoder::AddError(int64_t message_index, DecodeError code, size_t byte_offset, std::string field_path) {
  const std::string text = absl::StrCat("message ", message_index, ", byte ", byte_offset, field_path.empty() ? "" : ", field ",
                                        field_path, ": ", ToAbsl(ErrorText(code)));
  const bool limit = code == DecodeError::kDepth || code == DecodeError::kRowLimit || code == DecodeError::kMemoryLimit;
  absl::Status status = limit ? absl::ResourceExhaustedError(text) : absl::InvalidArgumentError(text);
  if (options_.on_error == DecodeOptions::OnError::kFail) failure_ = status;
  errors_->push_back({message_index, byte_offset, std::move(field_path), std::string(ErrorText(code)), std::move(status)});
}

void BatchDecoder::RemoveRowsMissingRequired() {
  if (!plan_->reaches_required || options_.allow_missing_required) return;
  std::vector<uint32_t> rows;
  for (const ColumnTree::MissingRequired& missing : tree_.tree().FindMissingRequired()) {
    if (!rows.empty() && rows.back() == missing.row) continue;
    rows.push_back(missing.row);
    const int64_t message_index = message_of_row_.empty() ? missing.row : message_of_row_[missing.row];
    if (options_.on_error == DecodeOptions::OnError::kFail) {
      // A message in front of the one that stopped the batch: this is the first error then.
      errors_->resize(errors_begin_);
      AddError(message_index, DecodeError::kMissingRequired, 0, FieldPathOf(missing.node, *missing.field));
      return;
    }
    AddError(message_index, DecodeError::kMissingRequired, 0, FieldPathOf(missing.node, *missing.field));
  }
  if (!rows.empty()) tree_.tree().RemoveRows(rows);
  std::stable_sort(errors_->begin() + static_cast<ptrdiff_t>(errors_begin_), errors_->end(),
                   [](const MessageError& a, const MessageError& b) { return a.message_index < b.message_index; });
}

absl::StatusOr<DecodedBatch> BatchDecoder::Finish() {
  ColumnTree& columns = tree_.tree();
  columns.set_nrows(row_);
  // First, because a map entry that another one replaces may lack required fields.
  columns.DropDuplicateMapKeys();
  RemoveRowsMissingRequired();
  const decode_internal::TreeRef tree = std::move(tree_);
  if (!failure_.ok()) return failure_;
  if (!columns.Finish()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("batch of ", message_count_, " messages: ", ToAbsl(ErrorText(DecodeError::kMemoryLimit))));
  }
  return DecodedBatch(tree);
}

}  // namespace structtensor
