// The batch driver: serialized messages in, one finished column tree out.
//
// Generated code wraps the two classes here in types of its own (RecipeDecoder, RecipeBatch); they do all the work, once for
// all message types.
#ifndef STRUCTTENSOR_DECODE_DECODER_H_
#define STRUCTTENSOR_DECODE_DECODER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/column/column_view.h"
#include "structtensor/decode/internal/tree_ref.h"
#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

class DecoderCheck;
namespace decode_internal {
class BatchDriver;
class CheckedDriver;
}  // namespace decode_internal

// Every limit here bounds what a small message can be made to cost. A message or batch that exceeds one is refused with an
// error that names the option and its value.
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

  // The fields to decode, each with all that is below it: "name", "address.city", "items.[pkg.extension]"; of a map, the value
  // of a key is `labels["env"]` or `counts[7]` (field_path/field_path.h has the grammar). Empty: all, but for those that
  // annotations skip; what they skip is decoded only if its own path is here, or one below it. A map some of whose keys
  // are chosen becomes a struct with a field for each of them, absent in rows that lack it; typed accessors find the map empty.
  // Messages that are not chosen are passed over by their length, and what is in them is not judged.
  std::vector<std::string> fields = {};

  // Where the strings and bytes of a batch are.
  enum class Strings {
    kCopy,  // in the batch's own memory; the input may be freed when Decode returns
    // In the input, which must stay as it is until the batch and all copies of it are gone. What needs strings side by side
    // copies those of a column when it first asks for them: NodeView::column(), StringSpan::offsets(), tensors, encoders. The
    // copies count as memory from the start. Tensors and encoded messages do not need the input.
    kViews,
  };
  Strings strings = Strings::kCopy;

  // What becomes of fields that the schema does not know, and of values that a closed enum does not know.
  enum class UnknownFields {
    kDrop,
    kKeep,  // in a bytes column beside the message's others: NodeView::unknown_fields()
  };
  UnknownFields unknown_fields = UnknownFields::kDrop;

  // Submessages and groups nested deeper than this are an error, as in libprotobuf. 0 to kGreatestMaxDepth: deeper nesting
  // could need more stack than threads have, since all that walks the columns of such a batch recurses as deep.
  int max_depth = 100;
  static constexpr int kGreatestMaxDepth = 1000;

  // Of one serialized message. Default: the most that protobuf allows.
  size_t max_message_bytes = 0x7fffffff;

  // Messages of one batch, and elements of one repeated message field in one batch: two bytes of input can make one. At most
  // kGreatestMaxRows, since row numbers are 32 bits wide.
  uint32_t max_rows = uint32_t{1} << 28;
  static constexpr uint32_t kGreatestMaxRows = 0x7fffffff;

  // Elements of one repeated message field in one batch, times the fields that its type declares: the cells of a dense table of
  // them. Columns that no data reaches cost nothing here, but whoever reads such a table pays for all of it.
  uint64_t max_cells = uint64_t{1} << 28;

  // Memory of all columns of one batch, with all that is needed to make them.
  size_t max_memory_bytes = size_t{1} << 30;

  // How often a message type may stand on its own path before its serialized bytes are kept in a column instead; 0 = any number
  // of times. A table with a fixed set of columns needs a number; 1 keeps the first recursion as bytes. Fields may be annotated
  // with numbers of their own, which count unless this is 0.
  int recursion_depth = 0;

  // Reads a missing required field as absent instead of as an error.
  bool allow_missing_required = false;

  // Not null: the first batch is decoded by the check's plan, too, and compared (decode/decoder_check.h). That takes the memory
  // of two batches.
  std::shared_ptr<DecoderCheck> check = nullptr;
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

// The same error of a message whose index in a longer list is `message_index`, for those who decode parts of a list. Its status
// says the new index.
MessageError WithMessageIndex(MessageError error, int64_t message_index);

// InvalidArgument if there are more errors than DecodeOptions::max_errors, of `message_count` messages, allows; else OK.
absl::Status CheckMaxErrors(std::span<const MessageError> errors, size_t message_count, int64_t max_errors);

// A field of which values stand on the wire as another type than the schema declares, as after a change of its type that keeps
// its number. They are unknown fields.
struct WireTypeMismatch {
  std::string field_path;
  plan::Kind declared;
  plan::WireType found;
  int64_t count;                // of such values
  int64_t first_message_index;  // within the batch
};

// The columns of one batch: immutable, cheap to copy, safe to read from several threads. It and every value made from it share
// the batch's memory, which returns to the decoder when the last of them dies; the input may be freed before that, except with
// DecodeOptions::strings = kViews.
class DecodedBatch {
 public:
  explicit DecodedBatch(decode_internal::TreeRef tree) : tree_(std::move(tree)) {}

  // Rows of the batch: the messages that were decoded, and with kNull those that could not be.
  int64_t nrows() const { return root().nrows(); }
  const plan::MessagePlan& plan() const { return root().plan(); }
  NodeView root() const { return NodeView(tree()); }
  const column_internal::ColumnTree& tree() const { return tree_.tree(); }

 private:
  decode_internal::TreeRef tree_;
};

// What Decode takes the messages from: elements that are views of strings, or strings that outlive the call. Iterators that
// make strings as they go do not fit: their strings would be gone before they are decoded.
template <typename It>
concept IteratorOfMessages = std::input_iterator<It> && std::convertible_to<std::iter_reference_t<It>, std::string_view> &&
    (std::is_lvalue_reference_v<std::iter_reference_t<It>> || std::is_trivially_copyable_v<std::iter_value_t<It>>);
// Without <ranges>, which would add 7 % to what a generated header takes to parse.
template <typename Range>
using IteratorOf = decltype(std::ranges::begin(std::declval<Range&>()));
template <typename Range>
using SentinelOf = decltype(std::ranges::end(std::declval<Range&>()));
template <typename Range>
concept RangeOfMessages = IteratorOfMessages<IteratorOf<Range>> && std::sentinel_for<SentinelOf<Range>, IteratorOf<Range>> &&
                          !std::convertible_to<Range, std::span<const std::string_view>> &&
                          !std::convertible_to<Range, std::string_view>;

// Decodes batches of one message type. Keep it: it reuses its memory from batch to batch. One thread at a time; decoders are
// independent of each other.
class BatchDecoder {
 public:
  // With the default options. `plan` must outlive the decoder and all that it makes; those in generated code live for ever.
  explicit BatchDecoder(const plan::MessagePlan& plan);

  // Errors: InvalidArgument for an option that is out of its range, or a path in options.fields that leads nowhere; NotFound
  // for one with a name that no field has (the message has the names that there are); FailedPrecondition if no code was
  // generated for the plan.
  static absl::StatusOr<BatchDecoder> Create(const plan::MessagePlan& plan, DecodeOptions options);
  // The same for a plan that a Schema has made (schema/schema.h): the decoder and all that it makes keep the plan alive.
  // Requires: plan is not null.
  static absl::StatusOr<BatchDecoder> Create(std::shared_ptr<const plan::MessagePlan> plan, DecodeOptions options);

  ~BatchDecoder();
  BatchDecoder(BatchDecoder&&) noexcept;
  BatchDecoder& operator=(BatchDecoder&&) noexcept;

  // Returns the columns of `messages`, one row each.
  // Ownership: the messages need to live until the call returns; with options.strings = kViews, until the batch dies.
  // Errors, with on_error = kFail: InvalidArgument for the first message that cannot be decoded, ResourceExhausted if it
  //   exceeds a limit; the status names the message's index, the byte offset in it and the field path. With kSkip and kNull
  //   such messages do no harm; more than max_errors of them are InvalidArgument. In any case they are added to `errors`, which
  //   may be null, in the order of the messages: with kFail the first one, else all.
  //   ResourceExhausted if the messages exceed a limit together, none of them alone: then none is added to `errors`, and fewer
  //   messages at a time can be decoded.
  absl::StatusOr<DecodedBatch> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors = nullptr);

  // The same for other ranges: std::vector<std::string>, a list of string views.
  template <RangeOfMessages Messages>
  absl::StatusOr<DecodedBatch> Decode(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return Decode(std::ranges::begin(messages), std::ranges::end(messages), errors);
  }
  template <IteratorOfMessages It, std::sentinel_for<It> End>
  absl::StatusOr<DecodedBatch> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    views_.clear();
    for (; first != last; ++first) views_.push_back(*first);
    return Decode(std::span<const std::string_view>(views_), errors);
  }

  // Of the batch that was decoded last, each field and wire type once, 64 of them at most. Values of broken messages may
  // be among the count.
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const;

 private:
  BatchDecoder(std::unique_ptr<decode_internal::BatchDriver> driver, std::unique_ptr<decode_internal::CheckedDriver> checked);
  static absl::StatusOr<BatchDecoder> Create(const plan::MessagePlan& plan, DecodeOptions options,
                                             std::shared_ptr<const plan::MessagePlan> kept_plan);

  std::unique_ptr<decode_internal::BatchDriver> driver_;
  std::unique_ptr<decode_internal::CheckedDriver> checked_;  // null: nothing is compared
  std::vector<std::string_view> views_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_DECODER_H_
