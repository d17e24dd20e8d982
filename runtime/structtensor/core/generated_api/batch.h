// The base of generated headers: decoders, batches, builders and encoders of one message type.
#ifndef STRUCTTENSOR_CORE_GENERATED_API_BATCH_H_
#define STRUCTTENSOR_CORE_GENERATED_API_BATCH_H_

#include <algorithm>
#include <concepts>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/core/generated_api/batch_builder.h"
#include "structtensor/core/generated_api/columns.h"
#include "structtensor/core/generated_api/enums.h"
#include "structtensor/core/generated_api/row_builders.h"
#include "structtensor/core/generated_api/rows.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace generated_api_internal {

inline DecodedBatch BatchWithoutRows(const plan::MessagePlan& plan) {
  return *BatchDecoder(plan).Decode(std::span<const std::string_view>());
}

}  // namespace generated_api_internal

// The columns of a batch, which it keeps alive. Decoders and builders make it, and TypedBatch() from a batch of any type. It
// converts to DecodedBatch for functions that take such batches: ToStructuredTensor(batch)
// (tensor/messages/to_structured_tensor.h).
template <typename Columns>
class Batch : public Columns {
 public:
  // A batch of no rows. Cost: that of a decoder, some microseconds.
  Batch() : Batch(generated_api_internal::BatchWithoutRows(Columns::plan())) {}

  // A row for each message. The batch itself is a range of them, too: for (auto recipe : *batch).
  auto rows() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return Columns::rows(); }
  // The row of message number `row`. Requires: row < nrows().
  auto operator[](size_t row) const ABSL_ATTRIBUTE_LIFETIME_BOUND { return Columns::rows()[row]; }

  const DecodedBatch& decoded() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return batch_; }
  operator const DecodedBatch&() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return batch_; }

 private:
  template <typename>
  friend class Decoder;
  template <typename, typename>
  friend class Builder;
  template <typename To>
  friend absl::StatusOr<To> TypedBatch(DecodedBatch batch);
  // Requires: `batch` is of the message type of Columns.
  explicit Batch(DecodedBatch batch) : Columns(batch.root()), batch_(std::move(batch)) {}

  DecodedBatch batch_;
};

namespace generated_api_internal {

using PlanPair = std::pair<const plan::MessagePlan*, const plan::MessagePlan*>;

// Whether columns of `found` are where readers of `wanted` look for them, in all message types that both reach. `compared` has
// the pairs whose comparison has begun, because a type may contain itself.
inline bool SameColumns(const plan::MessagePlan& found, const plan::MessagePlan& wanted, std::vector<PlanPair>& compared) {
  if (&found == &wanted || std::find(compared.begin(), compared.end(), PlanPair(&found, &wanted)) != compared.end())
    return true;
  compared.emplace_back(&found, &wanted);
  return found.full_name == wanted.full_name &&
         std::equal(found.fields.begin(), found.fields.end(), wanted.fields.begin(), wanted.fields.end(),
                    [&compared](const plan::FieldPlan& a, const plan::FieldPlan& b) {
                      return a.number == b.number && a.kind == b.kind && a.cardinality == b.cardinality &&
                             a.column_offset == b.column_offset && (a.message == nullptr) == (b.message == nullptr) &&
                             (a.message == nullptr || SameColumns(*a.message, *b.message, compared));
                    });
}

// Returns InvalidArgument if accessors cannot read a map in columns of `found`, because only chosen keys of it are decoded.
inline absl::Status CheckNoMapByKey(const plan::MessagePlan& found) {
  const plan::FieldPlan* const map = plan::FindMapByKey(found);
  if (map == nullptr) return absl::OkStatus();
  const std::string name(map->name);
  return absl::InvalidArgumentError("DecodeOptions::fields choose keys of the map " + name +
                                    ", and generated accessors read whole maps; list " + name +
                                    " without a key, or use a BatchDecoder and ToStructuredTensor");
}

}  // namespace generated_api_internal

// Gives a batch of any type its type: TypedBatch<cookbook::RecipeBatch>(decoded). For batches from BatchDecoder, also by an
// engine's plan. Errors: InvalidArgument if the batch is of another message type, of another version of its schema, or was
// decoded with chosen keys of a map.
template <typename To>
absl::StatusOr<To> TypedBatch(DecodedBatch batch) {
  std::vector<generated_api_internal::PlanPair> compared;
  const plan::MessagePlan& wanted = To::plan();
  if (!generated_api_internal::SameColumns(batch.plan(), wanted, compared)) {
    const bool same_type = batch.plan().full_name == wanted.full_name;
    const absl::Status by_key = same_type ? generated_api_internal::CheckNoMapByKey(batch.plan()) : absl::OkStatus();
    if (!by_key.ok()) return by_key;
    return absl::InvalidArgumentError("expected the columns that generated code has for " + std::string(wanted.full_name) +
                                      "; found " +
                                      (same_type ? "those of another version of its schema: generate the code again"
                                                 : "a batch of " + std::string(batch.plan().full_name)));
  }
  return To(std::move(batch));
}

// Free functions, because members would hide accessors of fields with these names. The batch of a message with both fields is
// not a range, but batch.rows() is. There is a function for each constness, because std::ranges looks for an exact match.
template <typename Columns>
auto begin(const Batch<Columns>& batch ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return batch.rows().begin();
}
template <typename Columns>
auto begin(Batch<Columns>& batch ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return batch.rows().begin();
}
template <typename Columns>
auto end(const Batch<Columns>& batch ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return batch.rows().end();
}
template <typename Columns>
auto end(Batch<Columns>& batch ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return batch.rows().end();
}
// The number of rows, for std::ranges::size() and the like.
template <typename Columns>
size_t size(const Batch<Columns>& batch) {
  return batch.rows().size();
}
template <typename Columns>
size_t size(Batch<Columns>& batch) {
  return batch.rows().size();
}

// A BatchDecoder with typed batches; see BatchDecoder for the contracts of the calls.
template <typename Columns>
class Decoder {
 public:
  // With the default options.
  Decoder() : decoder_(Columns::plan()) {}

  // Errors: those of BatchDecoder::Create; InvalidArgument for options.fields that choose keys of a map.
  static absl::StatusOr<Decoder> Create(DecodeOptions options) {
    absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(Columns::plan(), std::move(options));
    if (!decoder.ok()) return decoder.status();
    if (absl::Status status = generated_api_internal::CheckNoMapByKey(decoder->plan()); !status.ok()) return status;
    return Decoder(*std::move(decoder));
  }

  absl::StatusOr<Batch<Columns>> Decode(std::span<const std::string_view> messages,
                                        std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.Decode(messages, errors));
  }
  template <RangeOfMessages Messages>
  absl::StatusOr<Batch<Columns>> Decode(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.Decode(messages, errors));
  }
  template <IteratorOfMessages It, std::sentinel_for<It> End>
  absl::StatusOr<Batch<Columns>> Decode(It first, End last, std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.Decode(first, last, errors));
  }
  template <std::convertible_to<std::string_view> Message>
  void Decode(Message&&, std::vector<MessageError>* = nullptr) = delete;  // one message: std::array{message}

  absl::StatusOr<Batch<Columns>> DecodeViews(std::span<const std::string_view> messages,
                                             std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.DecodeViews(messages, errors));
  }
  template <RangeOfMessages Messages>
  absl::StatusOr<Batch<Columns>> DecodeViews(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.DecodeViews(messages, errors));
  }
  template <IteratorOfMessages It, std::sentinel_for<It> End>
  absl::StatusOr<Batch<Columns>> DecodeViews(It first, End last, std::vector<MessageError>* errors = nullptr) {
    return Typed(decoder_.DecodeViews(first, last, errors));
  }
  template <RangeOfMessages Messages>
  requires RangeOfTemporaries<Messages>
  void DecodeViews(Messages&&, std::vector<MessageError>* = nullptr) = delete;  // the batch would refer to freed messages
  template <std::convertible_to<std::string_view> Message>
  void DecodeViews(Message&&, std::vector<MessageError>* = nullptr) = delete;  // one message: std::array{view_of_message}

  // See BatchDecoder.
  void Shrink() { decoder_.Shrink(); }
  const std::vector<WireTypeMismatch>& wire_type_mismatches() const { return decoder_.wire_type_mismatches(); }
  const std::vector<UnknownValues>& unknown_values() const { return decoder_.unknown_values(); }

 private:
  explicit Decoder(BatchDecoder decoder) : decoder_(std::move(decoder)) {}

  static absl::StatusOr<Batch<Columns>> Typed(absl::StatusOr<DecodedBatch> batch) {
    if (!batch.ok()) return batch.status();
    return Batch<Columns>(*std::move(batch));
  }

  BatchDecoder decoder_;
};

// A BatchBuilder with typed rows and batches; see BatchBuilder for the contracts of the calls.
//
//   cookbook::RecipeBatchBuilder builder;
//   cookbook::RecipeRowBuilder recipe = builder.AppendRow();
//   recipe.set_title("toast");
//   recipe.add_ingredients().set_name("bread");
//   absl::StatusOr<cookbook::RecipeBatch> batch = builder.Build();
template <typename Columns, typename RowBuilder>
class Builder {
 public:
  // With the default options.
  Builder() : builder_(Columns::plan()) {}

  // Errors: InvalidArgument for an option that is out of its range.
  static absl::StatusOr<Builder> Create(const BuildOptions& options) {
    absl::StatusOr<BatchBuilder> builder = BatchBuilder::Create(Columns::plan(), options);
    if (!builder.ok()) return builder.status();
    return Builder(*std::move(builder));
  }

  RowBuilder AppendRow() { return RowWriter::As<RowBuilder>(builder_.AppendRow()); }
  int64_t nrows() const { return builder_.nrows(); }
  const absl::Status& status() const { return builder_.status(); }
  absl::StatusOr<Batch<Columns>> Build() {
    absl::StatusOr<DecodedBatch> batch = builder_.Build();
    if (!batch.ok()) return batch.status();
    return Batch<Columns>(*std::move(batch));
  }

 private:
  explicit Builder(BatchBuilder builder) : builder_(std::move(builder)) {}

  BatchBuilder builder_;
};

// BatchEncoder for batches of one type.
template <typename Columns>
class Encoder {
 public:
  // With the default options.
  Encoder() : encoder_(Columns::plan()) {}

  // Errors: FailedPrecondition if the code was generated without encoders.
  static absl::StatusOr<Encoder> Create(EncodeOptions options) {
    absl::StatusOr<BatchEncoder> encoder = BatchEncoder::Create(Columns::plan(), options);
    if (!encoder.ok()) return encoder.status();
    return Encoder(*std::move(encoder));
  }

  // See BatchEncoder::Encode. A batch of another type does not compile.
  absl::StatusOr<EncodedBatch> Encode(const Batch<Columns>& batch) { return encoder_.Encode(batch.decoded()); }

 private:
  explicit Encoder(BatchEncoder encoder) : encoder_(std::move(encoder)) {}

  BatchEncoder encoder_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_BATCH_H_
