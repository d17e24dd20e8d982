// Encodes the columns of a decoded batch as serialized messages.
//
//   cookbook::RecipeEncoder encoder;                          // keep it: it reuses its memory
//   absl::StatusOr<structtensor::EncodedBatch> messages = encoder.Encode(batch);
//   for (std::string_view message : *messages) ...
//
// Fields are written in the order of their numbers, then the unknown fields that the decoder kept. Default values of fields
// with implicit presence are left out, repeated scalars are packed if the schema says so, and everything takes its shortest
// form. So equal columns make equal bytes. If the decoder kept unknown fields, libprotobuf parses the same message from these
// bytes as from the decoded bytes.
#ifndef STRUCTTENSOR_CORE_ENCODE_ENCODER_H_
#define STRUCTTENSOR_CORE_ENCODE_ENCODER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/position_iterator.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace column_internal {
class ColumnTree;
}  // namespace column_internal

struct EncodeOptions {
  // Writes the entries of a map in the order of their keys, not in the order of the columns. Strings are compared as bytes.
  bool sort_map_keys = false;
  // Writes the unknown fields that the decoder kept.
  bool unknown_fields = true;
};

namespace encode_internal {

struct Output;
class OutputPool;
class Preparation;

// A counted reference to the memory of one batch, which returns to its encoder's pool when the last reference is destroyed. A
// std::shared_ptr would allocate a count for each batch.
class OutputRef {
 public:
  explicit OutputRef(Output* output) : output_(output) {}  // takes over a reference
  OutputRef(const OutputRef& other);
  OutputRef(OutputRef&& other) noexcept : output_(std::exchange(other.output_, nullptr)) {}
  OutputRef& operator=(OutputRef other) noexcept {
    std::swap(output_, other.output_);
    return *this;
  }
  ~OutputRef();

  Output& operator*() const { return *output_; }

 private:
  Output* output_;  // null once moved from
};

}  // namespace encode_internal

// Serialized messages, one for each row. Immutable, cheap to copy, safe to read from several threads; shares memory with its
// copies.
class EncodedBatch {
 public:
  struct Source {
    using value_type = std::string_view;
    std::string_view At(size_t i) const { return {bytes + offsets[i], offsets[i + 1] - offsets[i]}; }
    const char* bytes = nullptr;
    const size_t* offsets = nullptr;  // [size + 1]
  };
  using value_type = std::string_view;
  using iterator = PositionIterator<Source>;
  using const_iterator = iterator;

  explicit EncodedBatch(encode_internal::OutputRef output);

  // Number of messages.
  size_t size() const { return size_; }
  std::string_view operator[](size_t i) const ABSL_ATTRIBUTE_LIFETIME_BOUND { return source_.At(i); }
  iterator begin() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return {source_, 0}; }
  iterator end() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return {source_, size_}; }
  // All messages, one after the other with nothing between them.
  std::string_view bytes() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return {source_.bytes + source_.offsets[0], source_.offsets[size_] - source_.offsets[0]};
  }

 private:
  encode_internal::OutputRef output_;
  Source source_;
  size_t size_;
};

// Encodes batches of one message type. Keep it: it reuses its memory as soon as the previous batch is released. One thread at
// a time; encoders are independent of each other.
class BatchEncoder {
 public:
  // With the default options. `plan` must be from code generated with encoders, and must outlive the encoder.
  explicit BatchEncoder(const plan::MessagePlan& plan);

  // Errors: FailedPrecondition if the code was generated without encoders.
  static absl::StatusOr<BatchEncoder> Create(const plan::MessagePlan& plan, EncodeOptions options);
  // Takes a plan that a Schema has made (app/schema/schema.h). The encoder keeps it alive. Same errors. Requires: plan is not
  // null.
  static absl::StatusOr<BatchEncoder> Create(std::shared_ptr<const plan::MessagePlan> plan, EncodeOptions options);

  ~BatchEncoder();
  BatchEncoder(BatchEncoder&&) noexcept;
  BatchEncoder& operator=(BatchEncoder&&) noexcept;

  // Returns a message for each row of a batch that was decoded (DecodedBatch) or built (BatchBuilder).
  // If only some fields of the batch were decoded, the messages have only these fields.
  // Errors: InvalidArgument if the batch is of another message type or has values of chosen map keys (DecodeOptions::fields),
  // ResourceExhausted if a message would be longer than the 2 GiB that protobuf allows or the batch does not fit in memory.
  template <typename DecodedBatch>
  requires requires(const DecodedBatch& batch) {
    { batch.tree() } -> std::same_as<const column_internal::ColumnTree&>;
  }
  absl::StatusOr<EncodedBatch> Encode(const DecodedBatch& batch) { return Encode(batch.tree()); }
  // For the library. Requires: `tree` is finished.
  absl::StatusOr<EncodedBatch> Encode(const column_internal::ColumnTree& tree);

 private:
  BatchEncoder(const plan::MessagePlan& plan, EncodeOptions options);
  absl::Status CheckPlan(const plan::MessagePlan& plan) const;

  const plan::MessagePlan* plan_;
  EncodeOptions options_;
  std::unique_ptr<encode_internal::Preparation> preparation_;
  std::shared_ptr<encode_internal::OutputPool> pool_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_ENCODE_ENCODER_H_
