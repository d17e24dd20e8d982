// The batch driver: serialized messages in, one finished column tree out.
//
// Generated code wraps the two classes here in types of its own (RecipeDecoder, RecipeBatch); they do all the work, once for all
// message types.
#ifndef STRUCTTENSOR_DECODE_DECODER_H_
#define STRUCTTENSOR_DECODE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/column/column_view.h"
#include "structtensor/decode/context.h"
#include "structtensor/plan/plan.h"

namespace structtensor {

class StructuredTensor;  // tensor/structured_tensor.h
struct TensorOptions;    // batch/from_batch.h

struct DecodeOptions {
  // What a message that cannot be decoded does to its batch. Its neighbours never lose anything.
  enum class OnError {
    kFail,  // Decode returns its error
    kSkip,  // the message gets no row and is listed among the errors
  };
  OnError on_error = OnError::kFail;

  // Submessages and groups nested deeper than this are an error, as in libprotobuf.
  int max_depth = 100;

  // Elements of one repeated message field in one batch: two bytes of input can make one.
  uint32_t max_rows = uint32_t{1} << 28;

  // Memory of all columns of one batch.
  size_t max_memory_bytes = size_t{8} << 30;

  // How often a message type may stand on its own path before its serialized bytes are kept in a column instead; 0 = any number
  // of times. A table with a fixed set of columns needs a number; 1 keeps the first recursion as bytes.
  int recursion_depth = 0;

  // Reads a missing required field as absent instead of as an error.
  bool allow_missing_required = false;
};

// A message that could not be decoded.
struct MessageError {
  int64_t message_index;   // within the batch
  size_t byte_offset;      // within the message
  std::string field_path;  // "a.b.c"; "" for the message itself
  std::string problem;     // what is wrong and what to do
  absl::Status status;     // InvalidArgument or ResourceExhausted; its message says all of the above
};

namespace decode_internal {

class TreePool;

// A counted reference to a finished tree. The last one gives the tree, with its memory, back to the decoder's pool.
class TreeRef {
 public:
  struct Shared;
  TreeRef() = default;
  explicit TreeRef(Shared* shared) : shared_(shared) {}
  TreeRef(const TreeRef& other);
  TreeRef(TreeRef&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  TreeRef& operator=(TreeRef other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~TreeRef();
  ColumnTree& tree() const;
  explicit operator bool() const { return shared_ != nullptr; }

 private:
  Shared* shared_ = nullptr;
};

}  // namespace decode_internal

// The columns of one batch: immutable, cheap to copy, safe to read from several threads. It and every value made from it share
// the batch's memory, which returns to the decoder when the last of them dies; the input may be freed before that.
class DecodedBatch {
 public:
  explicit DecodedBatch(decode_internal::TreeRef tree) : tree_(std::move(tree)) {}

  // Rows of the batch: the messages that were decoded.
  int64_t nrows() const { return tree().nrows(); }
  const plan::Message& plan() const { return tree().plan(); }
  NodeView root() const { return NodeView(tree()); }
  const ColumnTree& tree() const { return tree_.tree(); }

  // The batch as a StructuredTensor of rank 1 that shares its memory. Link structtensor::batch for it.
  absl::StatusOr<StructuredTensor> structured_tensor() const;
  absl::StatusOr<StructuredTensor> structured_tensor(const TensorOptions& options) const;

 private:
  decode_internal::TreeRef tree_;
};

// Decodes batches of one message type. Keep it: it reuses its memory from batch to batch. One thread at a time; decoders are
// independent of each other.
class BatchDecoder {
 public:
  // `plan` must outlive the decoder and all that it makes; those in generated code live for ever.
  explicit BatchDecoder(const plan::Message& plan, DecodeOptions options = {});
  ~BatchDecoder();
  BatchDecoder(BatchDecoder&&) noexcept;
  BatchDecoder& operator=(BatchDecoder&&) noexcept;

  // Returns the columns of `messages`, one row each.
  // Ownership: the messages need to live until the call returns.
  // Errors, with on_error = kFail: InvalidArgument for the first message that cannot be decoded, ResourceExhausted if it exceeds
  // a limit; the status names the message's index, the byte offset in it and the field path. With kSkip such messages are added to
  // `errors` instead. `errors` may be null.
  absl::StatusOr<DecodedBatch> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors = nullptr);

  // The same for any range of things that convert to std::string_view.
  template <std::input_iterator It, std::sentinel_for<It> End>
  absl::StatusOr<DecodedBatch> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    Start(0, errors);
    for (; first != last; ++first) Add(*first);
    return Finish();
  }

 private:
  void Start(size_t expected_messages, std::vector<MessageError>* errors);
  // Decodes one more message, which must live until Finish. After an error that fails the batch, does nothing.
  void Add(std::string_view message);
  absl::StatusOr<DecodedBatch> Finish();

  std::string_view WithSlack(std::string_view message);
  void AddError(int64_t message_index, DecodeError code, size_t byte_offset, std::string field_path);
  void RemoveRowsMissingRequired();

  const plan::Message* plan_;
  DecodeOptions options_;
  std::shared_ptr<decode_internal::TreePool> pool_;

  // The batch under way.
  decode_internal::TreeRef tree_;
  DecodeContext context_;
  std::vector<MessageError>* errors_ = nullptr;
  size_t errors_begin_ = 0;  // of this batch, in *errors_
  std::vector<MessageError> own_errors_;
  absl::Status failure_;
  int64_t message_count_ = 0;
  uint32_t row_ = 0;
  size_t input_bytes_ = 0;
  std::vector<int64_t> message_of_row_;  // filled once a message has been skipped
  std::vector<std::string> copies_;      // of messages without readable slack behind them; kept for the next batch's
  size_t copies_used_ = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_DECODE_DECODER_H_
