// The batch driver: serialized messages in, one finished column tree out.
//
// Generated code wraps the two classes here in types of its own (RecipeDecoder, RecipeBatch); they do all the work, once for
// all message types.
#ifndef STRUCTTENSOR_CORE_DECODE_DECODER_H_
#define STRUCTTENSOR_CORE_DECODE_DECODER_H_

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

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/decode/abi/tree_ref.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace decode_internal {
class BatchDriver;
}

// Each limit bounds what a small message can cost. A message or batch that exceeds a limit is refused with an error that names
// the option and its value.
struct DecodeOptions {
  // What happens to the batch when a message cannot be decoded. Other messages never lose data.
  enum class OnError {
    kFail,  // Decode returns its error
    kSkip,  // the message gets no row and is listed among the errors
    kNull,  // the message gets a row in which every field is absent, and is listed among the errors
  };
  OnError on_error = OnError::kFail;

  // The batch fails if more of its messages than this cannot be decoded; -1 = no limit. Only for kSkip and kNull.
  int64_t max_errors = -1;

  // The fields to decode, each with all that is below it: "name", "address.city", "items.[pkg.extension]". `labels["env"]` or
  // `counts[7]` is the value of one key of a map (core/field_path/field_path.h has the grammar). Empty: all fields except those
  // that annotations skip. A skipped field is decoded only if its own path, or a path below it, is listed here. A map with
  // chosen keys becomes a struct with a field for each chosen key, absent in rows that lack the key. Generated classes have no
  // accessors for such a struct, so generated decoders refuse chosen keys. A path below another listed path adds nothing:
  // "labels" and `labels["env"]` together are the whole map. Messages that are not chosen are skipped by their length, and
  // their contents are not checked.
  std::vector<std::string> fields = {};

  // What happens to fields that the schema does not know, and to values that a closed enum does not know.
  enum class UnknownFields {
    kDrop,
    kKeep,  // in an extra bytes column of the message: NodeView::unknown_fields()
  };
  UnknownFields unknown_fields = UnknownFields::kDrop;

  // Submessages and groups nested deeper than this are an error, as in libprotobuf. Range: 0 to kGreatestMaxDepth. Code that
  // walks the columns of a batch recurses as deep as its messages nest, so deeper nesting could overflow a thread's stack.
  int max_depth = 100;
  static constexpr int kGreatestMaxDepth = 1000;

  // Size of one serialized message. Range: 1 to kGreatestMaxMessageBytes, the most that protobuf allows.
  size_t max_message_bytes = 0x7fffffff;
  static constexpr size_t kGreatestMaxMessageBytes = 0x7fffffff;

  // Messages in one batch, and elements of one repeated message field in one batch: two bytes of input can make one element.
  // Range: 0 to kGreatestMaxRows, because row numbers are 32 bits wide.
  uint32_t max_rows = uint32_t{1} << 28;
  static constexpr uint32_t kGreatestMaxRows = 0x7fffffff;

  // Elements of one repeated message field in one batch, times the number of fields that its type declares: the cells of a
  // dense table of the elements. Columns without data cost nothing here, but a reader of such a table pays for every cell. Any
  // number is in range.
  uint64_t max_cells = uint64_t{1} << 28;

  // Memory of all columns of one batch, and the memory needed to make them. The errors of a batch may take as much again: those
  // of tiny messages need much more memory than the messages. Any number is in range.
  size_t max_memory_bytes = size_t{1} << 30;

  // Different paths of message fields in one batch: "a.b" and "a.b.b" are two, however many messages are there. Each has a set
  // of columns, which costs some kilobytes. Only messages of a type that contains itself have many, unless recursion_depth
  // bounds them. A map with message values counts twice. Any number is in range.
  uint32_t max_paths = uint32_t{1} << 14;

  // How often a message type may occur on its own path before it is kept as a column of serialized bytes; 0 = no limit. A table
  // with a fixed set of columns needs a limit; 1 keeps the first recursion as bytes. Fields may be annotated with limits of
  // their own, which apply unless this is 0. Range: 0 to kGreatestRecursionDepth. Programs that make tables, such as the
  // command and the Python package, do not take 0.
  int recursion_depth = 0;
  static constexpr int kGreatestRecursionDepth = 10;

  // Reads a missing required field as absent instead of as an error.
  bool allow_missing_required = false;

  // Decodes each message from a copy that has readable bytes after it. Without copies, decoding may read up to 64 bytes past
  // the end of a message, though not past the end of its page, and ignores what it finds there. That is harmless, but Valgrind
  // reports it. Sanitizers need no option: in a process that has one, all messages are copied.
  bool copy_messages = false;
};

// A message that could not be decoded.
struct MessageError {
  int64_t message_index;   // within the batch
  int64_t row;             // the message's row in the batch, with kNull; else -1
  size_t byte_offset;      // within the message
  std::string field_path;  // "a.b.c"; "" for the message itself. "…" replaces the middle of a path of more than 512 bytes
  std::string_view code;   // why, as a word that does not change: "invalid_utf8", "max_depth" (docs/formats.md has all)
  std::string problem;     // what is wrong and what to do
  // InvalidArgument or ResourceExhausted; its message says all of the above. A program that reads messages from files says
  // where in its own way: Where(location, byte_offset) of io/records/record_reader.h, then field_path and problem.
  absl::Status status;
};

// Returns `error` with `message_index` as its index, for callers that decode a part of a longer list. Its status names the new
// index.
MessageError WithMessageIndex(MessageError error, int64_t message_index);

// Returns InvalidArgument if `message_count` messages have more errors than DecodeOptions::max_errors allows; else OK.
absl::Status CheckMaxErrors(std::span<const MessageError> errors, size_t message_count, int64_t max_errors);

// A field with values of another wire type than the schema declares, for example after its type was changed and its number
// kept. Such values are unknown fields.
struct WireTypeMismatch {
  std::string field_path;
  plan::Kind declared;
  plan::WireType found;
  int64_t count;                // number of such values
  int64_t first_message_index;  // within the batch
};

// Values in messages of one type that a batch has dropped because the schema does not know them. Values of a known field with
// another wire type are not counted here; see WireTypeMismatch.
struct UnknownValues {
  std::string message_type;         // its full name
  int64_t fields = 0;               // values of fields that the schema does not have
  int64_t enum_numbers = 0;         // numbers that closed enums do not have; in a map, the whole entry is dropped
  std::string first_field_path;     // of the first one: "spans.17" for the unknown field 17 of a message in `spans`
  int64_t first_message_index = 0;  // within the batch
};

// The columns of one batch: immutable, cheap to copy, safe to read from several threads. The batch and every value made from it
// share its memory, which returns to the decoder when the last of them is destroyed. The input may be freed earlier, except
// after DecodeViews().
class DecodedBatch {
 public:
  explicit DecodedBatch(decode_internal::TreeRef tree) : tree_(std::move(tree)) {}

  // Number of rows: the decoded messages, and with kNull also the messages that could not be decoded.
  int64_t nrows() const { return root().nrows(); }
  const plan::MessagePlan& plan() const { return root().plan(); }
  NodeView root() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return NodeView(tree()); }
  const column_internal::ColumnTree& tree() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return tree_.tree(); }
  // For ToStructuredTensor.
  const decode_internal::TreeRef& tree_ref() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return tree_; }

 private:
  decode_internal::TreeRef tree_;
};

// An iterator that Decode can take messages from: its elements are string views, or strings that outlive the call. Iterators
// that create strings on the fly are not accepted: these strings would be destroyed before they are decoded. Nor are iterators
// that read each string into the same place, as std::istream_iterator does.
template <typename It>
concept IteratorOfMessages = std::input_iterator<It> && std::convertible_to<std::iter_reference_t<It>, std::string_view> &&
    ((std::is_lvalue_reference_v<std::iter_reference_t<It>> && std::forward_iterator<It>) ||
     std::is_trivially_copyable_v<std::iter_value_t<It>>);
// Defined without <ranges>, which would add 7 % to the time to parse a generated header.
template <typename Range>
using IteratorOf = decltype(std::ranges::begin(std::declval<Range&>()));
template <typename Range>
using SentinelOf = decltype(std::ranges::end(std::declval<Range&>()));
template <typename Range>
concept RangeOfMessages = IteratorOfMessages<IteratorOf<Range>> && std::sentinel_for<SentinelOf<Range>, IteratorOf<Range>> &&
                          !std::convertible_to<Range, std::span<const std::string_view>> &&
                          !std::convertible_to<Range, std::string_view>;

// Ranges whose messages are gone at the end of the statement that passes them: temporary lists of strings. Temporary lists of
// string views are not among them.
template <typename Range>
concept RangeOfTemporaries =
    !std::is_lvalue_reference_v<Range> && !std::ranges::enable_borrowed_range<std::remove_cvref_t<Range>> &&
    !std::is_trivially_copyable_v<std::iter_value_t<IteratorOf<Range>>>;

namespace decode_internal {

// Views of the messages, in `views`, which is overwritten.
template <typename It, typename End>
std::span<const std::string_view> ViewsOf(It first, End last, std::vector<std::string_view>& views) {
  static_assert(!std::is_pointer_v<std::decay_t<std::iter_reference_t<It>>>,
                "Decode() takes std::string or std::string_view: a message in a char array would be cut off at its first zero");
  views.clear();
  for (; first != last; ++first) views.push_back(*first);
  return views;
}

}  // namespace decode_internal

// Decodes batches of one message type. Keep it: it reuses its memory from batch to batch. One thread at a time; decoders are
// independent of each other.
class BatchDecoder {
 public:
  // With the default options. `plan` must outlive the decoder and all that it makes; plans in generated code live forever.
  explicit BatchDecoder(const plan::MessagePlan& plan);

  // Errors: InvalidArgument for an option that is out of its range, or a path in options.fields that leads nowhere; NotFound
  // for a path with an unknown field name (the message lists the known names); FailedPrecondition if no code was generated for
  // the plan.
  static absl::StatusOr<BatchDecoder> Create(const plan::MessagePlan& plan, DecodeOptions options);
  // Takes a plan that a Schema has made (app/schema/schema.h): the decoder and all that it makes keep it alive. Same errors.
  // Requires: plan is not null.
  static absl::StatusOr<BatchDecoder> Create(std::shared_ptr<const plan::MessagePlan> plan, DecodeOptions options);

  ~BatchDecoder();
  BatchDecoder(BatchDecoder&&) noexcept;
  BatchDecoder& operator=(BatchDecoder&&) noexcept;

  // Returns the columns of `messages`, one row each.
  // Ownership: the messages must live until the call returns.
  // Errors, with on_error = kFail: InvalidArgument for the first message that cannot be decoded, ResourceExhausted if it
  //   exceeds a limit; the status names the message's index, the byte offset in it and the field path. With kSkip and kNull
  //   such messages do not fail the call, unless there are more than max_errors of them (InvalidArgument). In every mode they
  //   are added to `errors`, which may be null, in the order of the messages: with kFail only the first one, else all.
  //   ResourceExhausted if only all messages together exceed a limit: then none is added to `errors`. Decode fewer messages at
  //   a time.
  absl::StatusOr<DecodedBatch> Decode(std::span<const std::string_view> messages, std::vector<MessageError>* errors = nullptr);

  // Decodes messages from other ranges: std::vector<std::string>, a list of string views.
  template <RangeOfMessages Messages>
  absl::StatusOr<DecodedBatch> Decode(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return Decode(std::ranges::begin(messages), std::ranges::end(messages), errors);
  }
  template <IteratorOfMessages It, std::sentinel_for<It> End>
  absl::StatusOr<DecodedBatch> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    return Decode(Views(first, last), errors);
  }
  // Decode takes a range of messages. This overload is for a short error.
  template <std::convertible_to<std::string_view> Message>
  void Decode(Message&&, std::vector<MessageError>* = nullptr) = delete;  // one message: std::array{message}

  // As Decode, but leaves strings and bytes in the messages.
  // Ownership: the messages must stay alive and unchanged until the batch and all copies of it are gone. Code that needs a
  //   column's strings side by side copies them on first use: NodeView::column(), StringSpan::offsets(), tensors, encoders. The
  //   copies count as memory from the start. Tensors and encoded messages do not need the input.
  absl::StatusOr<DecodedBatch> DecodeViews(std::span<const std::string_view> messages,
                                           std::vector<MessageError>* errors = nullptr);
  template <RangeOfMessages Messages>
  absl::StatusOr<DecodedBatch> DecodeViews(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return DecodeViews(std::ranges::begin(messages), std::ranges::end(messages), errors);
  }
  template <IteratorOfMessages It, std::sentinel_for<It> End>
  absl::StatusOr<DecodedBatch> DecodeViews(It first, End last, std::vector<MessageError>* errors = nullptr) {
    return DecodeViews(Views(first, last), errors);
  }
  template <RangeOfMessages Messages>
  requires RangeOfTemporaries<Messages>
  void DecodeViews(Messages&&, std::vector<MessageError>* = nullptr) = delete;  // the batch would refer to freed messages
  template <std::convertible_to<std::string_view> Message>
  void DecodeViews(Message&&, std::vector<MessageError>* = nullptr) = delete;  // one message: std::array{view_of_message}

  // Frees all memory that no batch uses. Batches in use free theirs when they are destroyed. The decoder stays usable, and the
  // next batch takes new memory. For decoders that are idle after a burst of batches: without this call, a decoder keeps the
  // memory of as many batches as were recently in use at a time.
  void Shrink();

  // The plan of its batches. With options.fields, other fields are skipped, and maps with chosen keys have FieldPlan::by_key.
  const plan::MessagePlan& plan() const;

  // The mismatches of the last decoded batch: each pair of field and wire type once, at most 64 pairs. The counts may include
  // values of broken messages.
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const;

  // The unknown values that the last decoded batch has dropped: each message type once, in the order of their first messages.
  // Empty with UnknownFields::kKeep. Values of broken messages do not count, unless a message lacks a required field.
  const std::vector<UnknownValues>& unknown_values() const;

 private:
  explicit BatchDecoder(std::unique_ptr<decode_internal::BatchDriver> driver);
  static absl::StatusOr<BatchDecoder> Create(const plan::MessagePlan& plan, DecodeOptions options,
                                             std::shared_ptr<const plan::MessagePlan> kept_plan);

  // Valid until the next call.
  template <typename It, typename End>
  std::span<const std::string_view> Views(It first, End last) {
    return decode_internal::ViewsOf(std::move(first), std::move(last), views_);
  }

  std::unique_ptr<decode_internal::BatchDriver> driver_;
  std::vector<std::string_view> views_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_DECODE_DECODER_H_
