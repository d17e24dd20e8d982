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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/column/column_view.h"
#include "structtensor/decode/internal/context.h"
#include "structtensor/decode/internal/projection.h"
#include "structtensor/decode/internal/tree_pool.h"
#include "structtensor/plan/plan.h"

namespace structtensor {

class StructuredTensor;  // tensor/structured_tensor.h
struct TensorOptions;    // batch_to_tensor/to_structured_tensor.h

// Every limit here bounds what a small message can be made to cost. A message or batch that exceeds one is refused with an error
// that names the option and its value.
struct DecodeOptions {
  // What a message that cannot be decoded does to its batch. Its neighbours never lose anything.
  enum class OnError {
    kFail,  // Decode returns its error
    kSkip,  // the message gets no row and is listed among the errors
    kNull,  // the message gets a row in which every field is absent, and is listed among the errors
  };
  OnError on_error = OnError::kFail;

  // With kSkip and kNull: more messages of one batch that cannot be decoded than this fail the batch; -1 = any number may.
  int64_t max_errors = -1;

  // The fields to decode, each with all that is below it: "name", "address.city", "items.[pkg.extension]"; of a map, the value of
  // a key is `labels["env"]` or `counts[7]`. Empty: all. A map some of whose keys are chosen becomes a struct with a field for each of
  // them, absent in rows that lack it; typed accessors find the map empty. Messages that are not chosen are passed over by their length,
  // and what is in them is not judged.
  std::vector<std::string> fields = {};

  // Where the strings and bytes of a batch are.
  enum class Strings {
    kCopy,  // in the batch's own memory; the input may be freed when Decode returns
    kViews,  // in the input, which must stay as it is until the batch and all copies of it are gone. What needs strings side by side copies
    // those of a column when it first asks for them: NodeView::column(), StringSpan::offsets(), tensors, encoders. The
    // copies count as memory from the start. Tensors and encoded messages do not need the input.
  };
  Strings strings = Strings::kCopy;

  // What becomes of fields that the schema does not know, and of values that a closed enum does not know.
  enum class UnknownFields {
    kDrop,
    kKeep,  // in a bytes column beside the message's others: NodeView::unknown_fields()
  };
  UnknownFields unknown_fields = UnknownFields::kDrop;

  // Submessages and groups nested deeper than this are an error, as in libprotobuf.
  int max_depth = 100;

  // Of one serialized message. Default: the most that protobuf allows.
  size_t max_message_bytes = 0x7fffffff;

  // Messages of one batch, and elements of one repeated message field in one batch: two bytes of input can make one.
  uint32_t max_rows = uint32_t{1} << 28;

  // Elements of one repeated message field in one batch, times the fields that its type declares: the cells of a dense table of
  // them. Columns that no data reaches cost nothing here, but whoever reads such a table pays for all of it.
  uint64_t max_cells = uint64_t{1} << 28;

  // Memory of all columns of one batch.
  size_t max_memory_bytes = size_t{1} << 30;

  // How often a message type may stand on its own path before its serialized bytes are kept in a column instead; 0 = any number
  // of times. A table with a fixed set of columns needs a number; 1 keeps the first recursion as bytes.
  int recursion_depth = 0;

  // Reads a missing required field as absent instead of as an error.
  bool allow_missing_required = false;
};

// A message that could not be decoded.
struct MessageError {
  int64_t message_index;   // within the batch
  int64_t row;             // that stands for it in the batch, with kNull; else -1
  size_t byte_offset;      // within the message
  std::string field_path;  // "a.b.c"; "" for the message itself
  std::string problem;     // what is wrong and what to do
  absl::Status status;     // InvalidArgument or ResourceExhausted; its message says all of the above
};

// The columns of one batch: immutable, cheap to copy, safe to read from several threads. It and every value made from it share
// the batch's memory, which returns to the decoder when the last of them dies; the input may be freed before that, except with
// DecodeOptions::strings = kViews.
class DecodedBatch {
 public:
  explicit DecodedBatch(decode_internal::TreeRef tree) : tree_(std::move(tree)) {}

  // Rows of the batch: the messages that were decoded, and with kNull those that could not be.
  int64_t nrows() const { return tree().nrows(); }
  const plan::MessagePlan& plan() const { return tree().plan(); }
  NodeView root() const { return NodeView(tree()); }
  const ColumnTree& tree() const { return tree_.tree(); }

  // The batch as a StructuredTensor of rank 1 that shares its memory. Link structtensor::batch_to_tensor for it.
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
  explicit BatchDecoder(const plan::MessagePlan& plan, DecodeOptions options = {});
  ~BatchDecoder();
  BatchDecoder(BatchDecoder&&) noexcept;
  BatchDecoder& operator=(BatchDecoder&&) noexcept;

  // Returns the columns of `messages`, one row each.
  // Ownership: the messages need to live until the call returns; with options.strings = kViews, until the batch dies.
  // Errors: InvalidArgument for a path in options.fields that the message type does not have.
  // Errors, with on_error = kFail: InvalidArgument for the first message that cannot be decoded, ResourceExhausted if it exceeds
  //   a limit; the status names the message's index, the byte offset in it and the field path. With kSkip and kNull such
  //   messages do no harm; more than max_errors of them are InvalidArgument. In any case they are added to `errors`, which may
  //   be null, in the order of the messages: with kFail the first one, else all.
  //   ResourceExhausted if the messages exceed a limit together, none of them alone: then none is added to `errors`, and fewer
  //   messages at a time can be decoded.
  absl::StatusOr<DecodedBatch> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors = nullptr);

  // The same for any range of things that convert to std::string_view.
  template <std::input_iterator It, std::sentinel_for<It> End>
  absl::StatusOr<DecodedBatch> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    views_.clear();
    for (; first != last; ++first) views_.push_back(*first);
    return Decode(std::span<const std::string_view>(views_), errors);
  }

 private:
  // What is wrong with a message, before it is put into words.
  struct Problem {
    size_t message_index = 0;
    DecodeError code = DecodeError::kNone;
    size_t byte_offset = 0;
    std::string field_path = {};
  };

  absl::Status CheckBatchSize(std::span<const std::string_view> messages) const;
  absl::StatusOr<DecodedBatch> DecodeOnce(std::span<const std::string_view> messages);
  std::vector<Problem> FindOversized(std::span<const std::string_view> messages) const;

  // The stages of DecodeOnce.
  void Start(size_t message_count);
  bool DecodeRow(std::string_view message, Problem* problem);
  void Undo(std::string_view message, const uint8_t* begin, Problem* problem);
  static bool HasSlack(std::string_view message);
  const uint8_t* CopyWithSlack(std::string_view message);
  void AddRow(size_t message_index);
  void AddBrokenMessage(const Problem& problem);
  void AddError(const Problem& problem);
  void DropRowsMissingRequired();
  absl::StatusOr<DecodedBatch> Finish(size_t message_count);
  absl::Status TooManyErrors(size_t message_count) const;
  absl::Status FailAtLimit(Problem problem, size_t message_count);

  const plan::MessagePlan* plan_;
  DecodeOptions options_;
  absl::StatusOr<std::shared_ptr<const Projection>> projection_;  // null: all fields
  std::shared_ptr<decode_internal::TreePool> pool_;

  // The batch under way.
  decode_internal::TreeRef tree_;
  bool tree_is_fresh_ = false;  // has served no other batch
  DecodeContext context_;
  std::vector<MessageError>* errors_ = nullptr;
  size_t errors_begin_ = 0;  // of this batch, in *errors_
  std::vector<MessageError> own_errors_;
  std::vector<Problem> oversized_;  // messages that no batch can hold, in order
  std::optional<Problem> limit_;    // of the batch, which the last pass has hit
  absl::Status failure_;
  uint32_t row_ = 0;
  std::vector<int64_t> message_of_row_;  // filled once a message has been skipped
  std::vector<std::string_view> views_;
  std::vector<std::string> copies_;  // of messages without readable slack behind them; kept for the next batch's
  size_t copies_used_ = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_DECODE_DECODER_H_
